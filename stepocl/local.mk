# stepocl/local.mk - hetero-stepocl, which runs a stencil's kernel, written for one device, on all of them.

stepocl_reading = \
	stepocl/check.c \
	stepocl/description.h \
	stepocl/partition.c \
	stepocl/partition.h \
	stepocl/read.c \
	stepocl/type.c
