/* bcryptprimitives.dll for wine before 9.0, which lacks it. Rust's standard library needs this one
   function for the seeds of hash tables. */
#include <windows.h>
#include <ntsecapi.h>

__declspec(dllexport) BOOL WINAPI ProcessPrng(PBYTE data, SIZE_T size) {
    return RtlGenRandom(data, (ULONG)size);
}
