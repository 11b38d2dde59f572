import { closeSync, openSync, readFileSync, readSync } from 'node:fs'

const CHUNK_BYTES = 16 * 1_024 * 1_024

/**
 * Whether the memory of another process holds each of these byte sequences, by the system's own
 * view of it: heap, native memory and buffers alike. Needs the right to trace the process, which
 * its parents and root have.
 */
export function memoryHolds(pid: number, wanted: readonly Buffer[]): boolean[] {
  const found = wanted.map(() => false)
  const overlap = Math.max(...wanted.map(({ length }) => length)) - 1
  const memory = openSync(`/proc/${pid}/mem`, 'r')
  const chunk = Buffer.alloc(CHUNK_BYTES)
  try {
    for (const [from, to] of writableRegions(pid)) {
      for (let at = from; at < to; at += CHUNK_BYTES - overlap) {
        const bytes = readAt(memory, chunk, at, Math.min(CHUNK_BYTES, to - at))
        if (bytes === 0) break
        const piece = chunk.subarray(0, bytes)
        for (const [index, secret] of wanted.entries()) found[index] ||= piece.includes(secret)
        if (to - at <= CHUNK_BYTES) break
      }
    }
  } finally {
    closeSync(memory)
  }
  return found
}

/** The addresses that a process may write to; a secret of it is nowhere else. */
function writableRegions(pid: number): (readonly [from: number, to: number])[] {
  return readFileSync(`/proc/${pid}/maps`, 'latin1')
    .split('\n')
    .flatMap((line) => {
      const [, from, to] = /^([0-9a-f]+)-([0-9a-f]+) rw/.exec(line) ?? []
      return from === undefined || to === undefined
        ? []
        : [[Number.parseInt(from, 16), Number.parseInt(to, 16)] as const]
    })
}

/** 0 for a region that is gone, or that the system does not show. */
function readAt(memory: number, chunk: Buffer, at: number, length: number): number {
  try {
    return readSync(memory, chunk, 0, length, at)
  } catch {
    return 0
  }
}
