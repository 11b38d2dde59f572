import { readFileSync } from 'node:fs'

/** The version of this program, as its manifest states it. */
export function readVersion(): string {
  const file = readFileSync(new URL('../package.json', import.meta.url), 'utf8')
  return (JSON.parse(file) as { readonly version: string }).version
}
