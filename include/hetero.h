/* hetero.h - coherent n-dimensional arrays over OpenCL devices. Includes every topic header. */
#ifndef HETERO_H
#define HETERO_H

#include <hetero/api.h>
#include <hetero/array.h>
#include <hetero/kernel.h>
#include <hetero/launch.h>
#include <hetero/shape.h>
#include <hetero/spread.h>
#include <hetero/status.h>
#include <hetero/system.h>

#endif
