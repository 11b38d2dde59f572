import { cpSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { bundleOf, copyBundles } from '../../packages/tollgate/test/built-program.ts'

const CHECKOUT = fileURLToPath(new URL('../..', import.meta.url)).replace(/\/$/, '')
/** The parts of a package that a running program does not read. */
const UNUSED = new Set(['test', 'bench', 'node_modules'])

/**
 * Copies this program into a folder, with further migrations: the release after this one, as far as
 * a database can notice. Needs no history and no build. Returns the path of its command line.
 * @param migrations their SQL with headers, by what stands behind the number in their file names
 */
export function copyNextRelease(
  folder: string,
  migrations: Readonly<Record<string, string>>,
): string {
  const packages = join(folder, 'packages')
  for (const name of readdirSync(join(CHECKOUT, 'packages'))) {
    const from = join(CHECKOUT, 'packages', name)
    mkdirSync(join(packages, name), { recursive: true })
    for (const part of readdirSync(from)) {
      if (UNUSED.has(part)) continue
      const to = join(packages, name, part)
      // Node resolves imports from where a file really is, so code has to be copied.
      if (part === 'src' || part === 'package.json') {
        cpSync(join(from, part), to, { recursive: true })
      } else symlinkSync(join(from, part), to)
    }
  }
  linkModules(folder, packages)
  cpSync(join(CHECKOUT, 'package.json'), join(folder, 'package.json'))
  cpSync(join(CHECKOUT, 'migrations'), join(folder, 'migrations'), { recursive: true })
  let number = schemaOf(CHECKOUT)
  for (const [name, sql] of Object.entries(migrations)) {
    number += 1
    writeFileSync(join(folder, 'migrations', `${fourDigits(number)}_${name}.sql`), sql)
  }
  const bundles = copyBundles(folder)
  return bundles === null
    ? join(packages, 'tollgate', 'src', 'cli.ts')
    : bundleOf('packages/tollgate/src/cli.ts', bundles)
}

/** The number of the last migration of this program, with four digits. */
export function ownSchema(): string {
  return fourDigits(schemaOf(CHECKOUT))
}

function schemaOf(folder: string): number {
  return readdirSync(join(folder, 'migrations')).filter((name) => /^\d{4}_/.test(name)).length
}

function fourDigits(number: number): string {
  return String(number).padStart(4, '0')
}

/** The same libraries, and the copied packages instead of the checkout's. */
function linkModules(folder: string, packages: string): void {
  const modules = join(folder, 'node_modules')
  mkdirSync(join(modules, '@tollgate'), { recursive: true })
  for (const name of readdirSync(join(CHECKOUT, 'node_modules'))) {
    if (name === '@tollgate') continue
    symlinkSync(join(CHECKOUT, 'node_modules', name), join(modules, name))
  }
  for (const name of readdirSync(packages)) {
    symlinkSync(join(packages, name), join(modules, '@tollgate', name))
  }
}
