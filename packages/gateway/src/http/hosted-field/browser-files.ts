import { extname } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { InventoryEntry } from './inventory.ts'
import { PAGES, PAGE_SCRIPTS, PAGE_STYLE, SHOP_SCRIPTS } from './inventory.ts'
import { escapeHtml, readPinnedFile } from './pinned-files.ts'

/** The folder of pages, scripts and style sheets, for the sources and the build alike. */
export const BROWSER_FILES_FOLDER = fileURLToPath(new URL('../../../hosted-field', import.meta.url))

/** A file as it goes to browsers. */
export interface BrowserFile {
  readonly type: string
  readonly body: Buffer
}

export interface BrowserFiles {
  /** The files that the two pages load, by the address that names their content. */
  readonly assets: ReadonlyMap<string, BrowserFile>
  /** The script for the pages of shops, by its version. */
  readonly shopScripts: ReadonlyMap<string, BrowserFile>
  /** The page with the card fields; `origins` may hold `*`. */
  fieldPage(site: string, origins: readonly string[]): string
  /** The page that is shown where no card can be taken. It has no script. */
  noCardPage(reason: string): string
}

const TYPES: Readonly<Record<string, string>> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
}

/**
 * Reads everything at once, so that the served content cannot change while the gateway runs.
 *
 * @throws when a file differs from the inventory in any byte.
 */
export function readBrowserFiles(folder: string): BrowserFiles {
  const assets = new Map<string, BrowserFile>()
  const publish = (entry: InventoryEntry): { address: string; integrity: string } => {
    const address = addressOf(entry)
    assets.set(address, readListed(folder, entry))
    return { address, integrity: entry.integrity }
  }
  const scripts = PAGE_SCRIPTS.map(publish)
    .map(
      ({ address, integrity }) =>
        `<script src="${address}" integrity="${integrity}" defer></script>`,
    )
    .join('\n    ')
  const sheet = publish(PAGE_STYLE)
  const style = `<link rel="stylesheet" href="${sheet.address}" integrity="${sheet.integrity}" />`
  const shopScripts = new Map<string, BrowserFile>()
  for (const [version, entry] of SHOP_SCRIPTS) shopScripts.set(version, readListed(folder, entry))
  const fieldPage = readListed(folder, PAGES.card).body.toString()
  const noCardPage = readListed(folder, PAGES.noCard).body.toString()
  return {
    assets,
    shopScripts,
    fieldPage: (site, origins) =>
      fill(fieldPage, {
        style,
        scripts,
        site: escapeHtml(site),
        origins: escapeHtml(JSON.stringify(origins)),
      }),
    noCardPage: (reason) => fill(noCardPage, { style, reason: escapeHtml(reason) }),
  }
}

/** The first twelve digits of the hash are in the address, so that it can be kept for ever. */
function addressOf({ file, integrity }: InventoryEntry): string {
  const digest = Buffer.from(integrity.replace(/^sha384-/, ''), 'base64').toString('hex')
  return `/pay/assets/${digest.slice(0, 12)}/${file}`
}

function readListed(folder: string, entry: InventoryEntry): BrowserFile {
  const body = readPinnedFile(folder, entry, 'where cards are entered')
  return { type: TYPES[extname(entry.file)] ?? 'application/octet-stream', body }
}

function fill(template: string, values: Readonly<Record<string, string>>): string {
  return template.replace(/\{\{(\w+)\}\}/g, (_, name: string) => values[name] ?? '')
}
