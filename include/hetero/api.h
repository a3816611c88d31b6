/* api.h - linkage and version macros used by every public header. */
#ifndef HETERO_API_H
#define HETERO_API_H

#define HET_VERSION_MAJOR 0
#define HET_VERSION_MINOR 1
#define HET_VERSION_PATCH 0

#if defined(__GNUC__)
#define HET_API __attribute__((visibility("default")))
#else
#define HET_API
#endif

/* In C++ a struct and a function of one name draw -Wshadow; here that is the intention. */
#ifdef __cplusplus
#define HET_BEGIN_CXX _Pragma("GCC diagnostic push") _Pragma("GCC diagnostic ignored \"-Wshadow\"")
#define HET_END_CXX _Pragma("GCC diagnostic pop")
#define HET_BEGIN_DECLS HET_BEGIN_CXX extern "C" {
#define HET_END_DECLS } HET_END_CXX
#else
#define HET_BEGIN_DECLS
#define HET_END_DECLS
#endif

HET_BEGIN_DECLS

/** The version of the library that is running, as "MAJOR.MINOR.PATCH". Static text; any thread. That of the
 *  headers is in the numbers HET_VERSION_MAJOR, HET_VERSION_MINOR and HET_VERSION_PATCH. */
HET_API const char *het_version(void);

HET_END_DECLS

/* In C++ the macros HET_..._INIT are this: all zero but `size`, whatever members there are. Where more than
 * that is to be set there is a specialisation. */
#ifdef __cplusplus
template <typename T> inline T het__init()
{
	T t = T();
	t.size = sizeof(T);
	return t;
}
#endif

#endif
