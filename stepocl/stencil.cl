/* stencil.cl - the mean of four elements, 10 to the left and right, 1 above and below. The indices of a work-item are
 * those of its element. */
kernel void stencil(global float *b, global const float *a, int width)
{
	const int i = (int)get_global_id(1) * width + (int)get_global_id(0);

	b[i] = 0.25f * (a[i - 10] + a[i + 10] + a[i - width] + a[i + width]);
}
