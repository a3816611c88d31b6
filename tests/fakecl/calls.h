/* calls.h - every call of OpenCL 1.2 that the loader may pass on: those this driver carries out and those it
 * refuses by name. */
#ifndef FAKECL_CALLS_H
#define FAKECL_CALLS_H

#define FAKE_CALLS(X)               \
	X(clGetPlatformIDs)         \
	X(clGetPlatformInfo)        \
	X(clGetDeviceIDs)           \
	X(clGetDeviceInfo)          \
	X(clCreateSubDevices)       \
	X(clRetainDevice)           \
	X(clReleaseDevice)          \
	X(clCreateContext)          \
	X(clRetainContext)          \
	X(clReleaseContext)         \
	X(clGetContextInfo)         \
	X(clCreateCommandQueue)     \
	X(clRetainCommandQueue)     \
	X(clReleaseCommandQueue)    \
	X(clGetCommandQueueInfo)    \
	X(clFlush)                  \
	X(clFinish)                 \
	X(clCreateBuffer)           \
	X(clCreateSubBuffer)        \
	X(clRetainMemObject)        \
	X(clReleaseMemObject)       \
	X(clGetMemObjectInfo)       \
	X(clCreateProgramWithSource)\
	X(clCreateProgramWithBinary)\
	X(clRetainProgram)          \
	X(clReleaseProgram)         \
	X(clBuildProgram)           \
	X(clGetProgramInfo)         \
	X(clGetProgramBuildInfo)    \
	X(clCreateKernel)           \
	X(clRetainKernel)           \
	X(clReleaseKernel)          \
	X(clSetKernelArg)           \
	X(clGetKernelInfo)          \
	X(clGetKernelArgInfo)       \
	X(clGetKernelWorkGroupInfo) \
	X(clWaitForEvents)          \
	X(clGetEventInfo)           \
	X(clCreateUserEvent)        \
	X(clSetUserEventStatus)     \
	X(clRetainEvent)            \
	X(clReleaseEvent)           \
	X(clGetEventProfilingInfo)  \
	X(clEnqueueReadBuffer)      \
	X(clEnqueueWriteBuffer)     \
	X(clEnqueueCopyBuffer)      \
	X(clEnqueueReadBufferRect)  \
	X(clEnqueueWriteBufferRect) \
	X(clEnqueueCopyBufferRect)  \
	X(clEnqueueFillBuffer)      \
	X(clEnqueueMapBuffer)       \
	X(clEnqueueUnmapMemObject)  \
	X(clEnqueueNDRangeKernel)   \
	X(clEnqueueMarkerWithWaitList)  \
	X(clEnqueueBarrierWithWaitList) \
	X(clGetExtensionFunctionAddress) \
	X(clGetExtensionFunctionAddressForPlatform)

/* Refused with CL_INVALID_OPERATION. */
#define FAKE_REFUSED(X)                \
	X(clSetCommandQueueProperty)   \
	X(clGetSupportedImageFormats)  \
	X(clGetImageInfo)              \
	X(clRetainSampler)             \
	X(clReleaseSampler)            \
	X(clGetSamplerInfo)            \
	X(clUnloadCompiler)            \
	X(clCreateKernelsInProgram)    \
	X(clEnqueueReadImage)          \
	X(clEnqueueWriteImage)         \
	X(clEnqueueCopyImage)          \
	X(clEnqueueCopyImageToBuffer)  \
	X(clEnqueueCopyBufferToImage)  \
	X(clEnqueueTask)               \
	X(clEnqueueNativeKernel)       \
	X(clEnqueueMarker)             \
	X(clEnqueueWaitForEvents)      \
	X(clEnqueueBarrier)            \
	X(clSetEventCallback)          \
	X(clSetMemObjectDestructorCallback) \
	X(clCompileProgram)            \
	X(clUnloadPlatformCompiler)    \
	X(clEnqueueFillImage)          \
	X(clEnqueueMigrateMemObjects)

/* Refused with NULL. */
#define FAKE_REFUSED_OBJECTS(X)        \
	X(clCreateContextFromType)     \
	X(clCreateImage2D)             \
	X(clCreateImage3D)             \
	X(clCreateSampler)             \
	X(clEnqueueMapImage)           \
	X(clCreateImage)               \
	X(clCreateProgramWithBuiltInKernels) \
	X(clLinkProgram)

#define FAKE_NUMBER(call) CALL_##call,
enum fake_call {
	FAKE_CALLS(FAKE_NUMBER) FAKE_REFUSED(FAKE_NUMBER) FAKE_REFUSED_OBJECTS(FAKE_NUMBER) FAKE_CALL_COUNT
};
#undef FAKE_NUMBER

#endif
