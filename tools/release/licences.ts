import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { nameAt, type Lockfile } from '../supply-chain/lockfile.ts'
import { isLicence } from './pruning.ts'

const RULE = '='.repeat(80)

/**
 * The licence texts of third-party packages, each under the name and version of its package. A
 * package without a text is listed with its identifier and its author.
 * @param paths in the lockfile
 */
export function licencesOf(checkout: string, lock: Lockfile, paths: readonly string[]): string {
  const parts = paths.map((path) => {
    const { version = '', license = '' } = lock[path] ?? {}
    const texts = licenceFiles(join(checkout, path))
    const text =
      texts.length === 0
        ? `No text in the package. ${author(join(checkout, path))}`
        : texts.join('\n\n')
    return `${RULE}\n${nameAt(path)} ${version} (${license})\n${RULE}\n\n${text.trim()}\n`
  })
  return `Licences of the third-party packages in this release.\n\n${parts.join('\n')}`
}

function licenceFiles(folder: string): string[] {
  if (!existsSync(folder)) return []
  return readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isFile() && isLicence(entry.name))
    .map((entry) => entry.name)
    .sort()
    .map((name) => readFileSync(join(folder, name), 'utf8').replaceAll('\r\n', '\n').trim())
}

function author(folder: string): string {
  const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as {
    author?: string | { name?: string }
  }
  const name = typeof manifest.author === 'string' ? manifest.author : manifest.author?.name
  return name === undefined ? 'No author is named.' : `Author: ${name}.`
}
