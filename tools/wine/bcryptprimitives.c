/*
 * What Go's runtime asks of Windows 10 and wine before version 9 does not have: random bytes. For running the Windows wheel under such a wine only:
 *
 *     python -m ziglang cc -target x86_64-windows-gnu -shared -o bcryptprimitives.dll bcryptprimitives.c -ladvapi32
 *
 * and the DLL goes into drive_c/windows/system32 of the wine prefix.
 */
__declspec(dllimport) unsigned char SystemFunction036(void *buffer, unsigned long size); /* RtlGenRandom */

__declspec(dllexport) int ProcessPrng(unsigned char *buffer, unsigned long long size) { return SystemFunction036(buffer, (unsigned long)size); }
