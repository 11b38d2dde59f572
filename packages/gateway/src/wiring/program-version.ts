import { readFileSync } from 'node:fs'

/** The versions that a process runs, as the audit log and the console name them. */
export interface ProgramVersions {
  /** Of Tollgate, such as 0.1.0. */
  readonly tollgate: string
  /** Of Node.js, such as 24.1.0. */
  readonly node: string
}

/** The versions of this process. All packages of Tollgate have the same one. */
export function readProgramVersions(): ProgramVersions {
  const file = readFileSync(new URL('../../package.json', import.meta.url), 'utf8')
  const { version } = JSON.parse(file) as { readonly version: string }
  return { tollgate: version, node: process.versions.node }
}
