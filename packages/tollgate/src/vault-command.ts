import { readVaultKeyFile, type VaultKeyFile } from '@tollgate/gateway/config'
import { openKeyOperator, VaultFileError } from '@tollgate/gateway/operator-keys'
import { existsSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { withOpened, type OperatorCommand } from './operator-commands.ts'
import { withProgress } from './progress.ts'
import { sentenceOf, StartupError } from './startup-error.ts'

const USAGE = 'Usage: tollgate vault export|import <file> --key-file <file>'

/** `tollgate vault`: all saved cards to an encrypted file and back. docs/vault-format.md */
export const vault: OperatorCommand = async (args, env, { print, complain }) => {
  const asked = readArguments(args)
  if (asked === null) {
    complain(USAGE)
    return 1
  }
  const { what, path } = asked
  const { key, warning } = readKey(asked.keyFile)
  if (warning !== null) complain(`Warning: ${warning}`)
  if (what === 'export' && existsSync(path)) {
    throw new StartupError(`The file ${path} is there already: name one that is not.`)
  }
  if (what === 'import' && !existsSync(path)) throw new StartupError(`There is no file ${path}.`)
  return withProgress(complain, (set) => {
    const onProgress = (cards: number): void => set(`${cards} cards`)
    onProgress(0)
    return withOpened(env, openKeyOperator, async (operator) => {
      try {
        if (what === 'export') {
          const { cards, unreadable } = await operator.exportTo(path, key, onProgress)
          print(`${cards} cards were written to ${path}.`)
          if (unreadable > 0)
            complain(`${unreadable} cards are under a destroyed key and were left out.`)
          return 0
        }
        const { cards, known, restored, newIds, idsFile } = await operator.importFrom(
          path,
          key,
          onProgress,
        )
        print(`${cards} cards were taken in; ${known} of them were here already.`)
        if (restored > 0) print(`${restored} of those can be read again.`)
        if (idsFile !== null)
          print(`${newIds.length} customers and cards have new ids: ${idsFile} lists them.`)
        return 0
      } catch (error) {
        if (error instanceof VaultFileError)
          throw new StartupError(`${error.message} Nothing was taken in.`)
        throw new StartupError(
          sentenceOf(error) + (what === 'export' ? ' No file was left.' : ' Nothing was taken in.'),
        )
      }
    })
  })
}

interface Asked {
  readonly what: 'export' | 'import'
  readonly path: string
  readonly keyFile: string
}

function readArguments(args: readonly string[]): Asked | null {
  try {
    const options = { 'key-file': { type: 'string' } } as const
    const { values, positionals } = parseArgs({ args: [...args], options, allowPositionals: true })
    const [what, path, ...rest] = positionals
    const keyFile = values['key-file']
    if ((what !== 'export' && what !== 'import') || path === undefined || rest.length > 0)
      return null
    return keyFile === undefined ? null : { what, path, keyFile }
  } catch {
    return null
  }
}

function readKey(path: string): VaultKeyFile & { readonly kind: 'key' } {
  const found = readVaultKeyFile(path)
  if (found.kind === 'missing') {
    const making = `(umask 077; openssl rand -base64 32 > ${path})`
    throw new StartupError(`There is no key file ${path}; "${making}" makes one.`)
  }
  if (found.kind === 'faulty') throw new StartupError(found.problem)
  return found
}
