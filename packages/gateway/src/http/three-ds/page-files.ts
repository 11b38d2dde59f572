import { fileURLToPath } from 'node:url'
import type { InventoryEntry } from '../hosted-field/inventory.ts'
import { escapeHtml, readPinnedFile } from '../hosted-field/pinned-files.ts'
import { THREE_DS_PAGES, THREE_DS_STYLE, type PageFiles } from './page-inventory.ts'

/** The folder of the pages, for the sources and the build alike. */
export const THREE_DS_PAGES_FOLDER = fileURLToPath(
  new URL('../../../three-ds-pages', import.meta.url),
)

export type PageName = keyof typeof THREE_DS_PAGES

/** Writes a page out; values are escaped for the places they stand in. */
export type WritePage = (
  name: PageName,
  nonce: string,
  values: Readonly<Record<string, string>>,
  /** The values for the page's script. */
  data: Readonly<Record<string, unknown>>,
) => string

/**
 * Reads everything at once, so that the served content cannot change while the gateway runs.
 *
 * @throws when a file differs from the inventory in any byte.
 */
export function readThreeDsPages(folder: string): WritePage {
  const style = readListed(folder, THREE_DS_STYLE)
  const files = new Map(
    Object.entries<PageFiles>(THREE_DS_PAGES).map(([name, { page, script }]) => [
      name,
      { page: readListed(folder, page), script: readListed(folder, script) },
    ]),
  )
  return (name, nonce, values, data) => {
    const { page = '', script = '' } = files.get(name) ?? {}
    const raw: Readonly<Record<string, string>> = { nonce, style, script, data: escapeJson(data) }
    return page.replace(
      /\{\{(\w+)\}\}/g,
      (_, key: string) => raw[key] ?? escapeHtml(values[key] ?? ''),
    )
  }
}

function readListed(folder: string, entry: InventoryEntry): string {
  return readPinnedFile(folder, entry, 'the pages of 3-D Secure').toString()
}

/** For a script element: no `<`, by which it could end early. */
function escapeJson(data: Readonly<Record<string, unknown>>): string {
  return JSON.stringify(data).replaceAll('<', '\\u003c')
}
