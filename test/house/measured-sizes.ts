import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { excessOf, isMeasured, type Sizes } from './sizes.ts'
import { filesUnder, packageFolders, read, root } from './source-text.ts'

export const RECORD = 'test/house/sizes.json'

/** All code is measured except tests, because their tables and stories may be long. */
function measuredFiles(): string[] {
  const packages = packageFolders().flatMap((name) => [
    ...filesUnder(`packages/${name}/src`, '.ts'),
    ...filesUnder(`packages/${name}/src`, '.tsx'),
  ])
  const browsers = ['gateway/hosted-field', 'gateway/three-ds-pages', 'client/browser'].flatMap(
    (folder) => filesUnder(`packages/${folder}`, '.js'),
  )
  const tools = [...filesUnder('tools', '.ts'), ...filesUnder('scripts', '.mjs')]
  return [...packages, ...browsers, ...tools].filter(isMeasured)
}

export function recordedSizes(): Sizes {
  return JSON.parse(read(RECORD)) as Sizes
}

/** Whether there is a record to compare with. */
export function hasRecord(): boolean {
  return existsSync(join(root, RECORD))
}

export function measuredSizes(): Sizes {
  const files = measuredFiles()
  if (files.length < 100) throw new Error('The walk found no sources.')
  return Object.fromEntries(
    files.flatMap((path) => {
      const excess = excessOf(path, read(path))
      return excess === null ? [] : [[path, excess] as const]
    }),
  )
}
