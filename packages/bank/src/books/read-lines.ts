import { open } from 'node:fs/promises'

const CHUNK_BYTES = 1 << 20
const LINE_FEED = 10

/**
 * Passes on each line of a file, without its line feed, with the offset of its first byte. Returns
 * the number of bytes behind the last line feed; null when there is no such file.
 */
export function readLines(
  path: string,
  onLine: (line: string, offset: number) => void,
): Promise<number | null> {
  return readLinesFrom(path, 0, onLine)
}

/** The same for the lines behind `from`, an offset that a line begins at. */
export async function readLinesFrom(
  path: string,
  from: number,
  onLine: (line: string, offset: number) => void,
): Promise<number | null> {
  const file = await openIfThere(path)
  if (file === null) return null
  try {
    let rest: Buffer = Buffer.alloc(0)
    let restAt = from
    for (;;) {
      const chunk = Buffer.allocUnsafe(CHUNK_BYTES)
      const { bytesRead } = await file.read(chunk, 0, CHUNK_BYTES, restAt + rest.length)
      if (bytesRead === 0) return rest.length
      const fresh = chunk.subarray(0, bytesRead)
      const bytes = rest.length === 0 ? fresh : Buffer.concat([rest, fresh])
      let start = 0
      for (;;) {
        const end = bytes.indexOf(LINE_FEED, start)
        if (end === -1) break
        onLine(bytes.toString('latin1', start, end), restAt + start)
        start = end + 1
      }
      rest = bytes.subarray(start)
      restAt += start
    }
  } finally {
    await file.close()
  }
}

/** Opens a file for reading; null when there is none. */
export async function openIfThere(path: string) {
  try {
    return await open(path, 'r')
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null
    throw error
  }
}
