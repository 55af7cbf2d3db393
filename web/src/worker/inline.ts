// Data inside the page: gzip, written as base64.

/** Decodes base64 of gzipped bytes. */
export async function decodeInline(base64: string): Promise<Uint8Array<ArrayBuffer>> {
  const binary = atob(base64.trim());
  const packed = new Uint8Array(binary.length);
  for (let i = 0; i < binary.length; i++) packed[i] = binary.charCodeAt(i);
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}
