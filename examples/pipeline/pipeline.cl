/* pipeline.cl - two stages that a signal goes through. The signal has no ends: after its last sample comes its
 * first. */
#pragma OPENCL FP_CONTRACT OFF

/* The mean of `width` samples. */
__kernel void mean(__global float *out, __global const float *in, int size, int width)
{
	const int i = get_global_id(0);
	float sum = 0.0f;

	for (int k = 0; k < width; k++)
		sum += in[(i + k) % size];
	out[i] = sum / width;
}

/* The highest of `width` samples minus the lowest. */
__kernel void spread(__global float *out, __global const float *in, int size, int width)
{
	const int i = get_global_id(0);
	float low = in[i], high = in[i];

	for (int k = 1; k < width; k++) {
		const float x = in[(i + k) % size];
		low = x < low ? x : low;
		high = x > high ? x : high;
	}
	out[i] = high - low;
}
