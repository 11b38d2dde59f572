import { readFileSync } from 'node:fs'
import { join } from 'node:path'

type Environment = Readonly<Record<string, string | undefined>>

/** The value of a secret setting; '' if it is not set. `problem` finishes a refused start. */
export interface FoundSecret {
  readonly value: string
  readonly problem: string | null
}

/**
 * Reads a secret setting from `NAME`, from the file in `NAME_FILE`, or from the credential `NAME`
 * that systemd passed (`LoadCredential=`), in this sequence. Line breaks at its end do not count.
 * @param hasFile false for a setting whose `NAME_FILE` is a setting of its own
 */
export function findSecret(env: Environment, name: string, hasFile: boolean): FoundSecret {
  const given = env[name]?.trim() ?? ''
  const file = hasFile ? (env[fileSettingOf(name)]?.trim() ?? '') : ''
  if (file !== '') {
    const found = readSecret(fileSettingOf(name), file)
    if (found.problem !== null || given === '' || given === found.value) return found
    return {
      value: '',
      problem:
        `${name} and ${fileSettingOf(name)} are both set, but the value can come from one ` +
        'place only.',
    }
  }
  const folder = env['CREDENTIALS_DIRECTORY'] ?? ''
  if (given !== '' || folder === '') return { value: given, problem: null }
  return readSecret(`The credential ${name}`, join(folder, name), 'may be missing')
}

/** The setting that names the file of a secret. */
export function fileSettingOf(name: string): string {
  return `${name}_FILE`
}

function readSecret(what: string, file: string, absence?: 'may be missing'): FoundSecret {
  let value: string
  try {
    value = readFileSync(file, 'utf8').trim()
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT' && absence !== undefined) return { value: '', problem: null }
    return { value: '', problem: `${what} is ${file}, a file that cannot be read (${code}).` }
  }
  if (value !== '') return { value, problem: null }
  return { value, problem: `${what} is ${file}, a file that is empty.` }
}
