import { open } from 'node:fs/promises'
import type { ServerResponse } from 'node:http'
import { pipeline } from 'node:stream/promises'

/** Sends a file of the disk with its length, so that a reader knows whether it is whole. */
export async function sendFile(
  { path, type }: { readonly path: string; readonly type: string },
  response: ServerResponse,
): Promise<void> {
  const file = await open(path)
  const { size } = await file.stat()
  response.writeHead(200, { 'Content-Type': type, 'Content-Length': size })
  await pipeline(file.createReadStream(), response)
}
