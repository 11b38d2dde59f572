import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { createReadStream, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { pipeline } from 'node:stream/promises'

/** How thoroughly gzip compresses: a test needs no small archive. */
export type Effort = 'best' | 'fast'

/**
 * Packs a folder, so that the same files give the same bytes: sorted, owned by root, and with one
 * time for all. Needs GNU tar and gzip.
 * @param epoch seconds since 1970, the time of every file
 * @param without names of files and folders that stay out
 */
export function packArchive(
  folder: string,
  file: string,
  epoch: number,
  effort: Effort,
  without: readonly string[] = [],
): void {
  const owner = ['--owner=0', '--group=0', '--numeric-owner', '--mode=u+rw,go+r-w']
  const order = ['--sort=name', '--format=gnu', `--mtime=@${epoch}`]
  const left = without.map((name) => `--exclude=${name}`)
  const compress = effort === 'best' ? 'gzip -9n' : 'gzip -1n'
  execFileSync(
    'tar',
    [
      ...order,
      ...owner,
      ...left,
      '-I',
      compress,
      '-C',
      dirname(folder),
      '-cf',
      file,
      basename(folder),
    ],
    { stdio: ['ignore', 'ignore', 'inherit'] },
  )
}

/** Writes SHA256SUMS beside the files, as `sha256sum --check` reads it. */
export async function writeSums(folder: string, names: readonly string[]): Promise<void> {
  const lines: string[] = []
  for (const name of [...names].sort()) lines.push(`${await sha256(join(folder, name))}  ${name}\n`)
  writeFileSync(join(folder, 'SHA256SUMS'), lines.join(''))
}

async function sha256(file: string): Promise<string> {
  const hash = createHash('sha256')
  await pipeline(createReadStream(file), hash)
  return hash.digest('hex')
}
