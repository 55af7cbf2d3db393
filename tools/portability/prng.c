/* bcryptprimitives.dll for versions of wine that lack it, such as 8.0. Rust's standard library needs this one
   function for the seeds of hash tables. */
#include <windows.h>
#include <ntsecapi.h>

__declspec(dllexport) BOOL WINAPI ProcessPrng(PBYTE data, SIZE_T size) {
    return RtlGenRandom(data, (ULONG)size);
}
