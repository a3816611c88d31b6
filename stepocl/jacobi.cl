/* jacobi.cl - one step of Jacobi: each element becomes the mean of its four neighbours. Work-item 0,0 is at 1,1. */
#define PITCH 1026

kernel void jacobi(global float *next, global const float *now, float weight)
{
	const size_t i = (get_global_id(1) + 1) * PITCH + get_global_id(0) + 1;

	next[i] = weight * (now[i - 1] + now[i + 1] + now[i - PITCH] + now[i + PITCH]);
}
