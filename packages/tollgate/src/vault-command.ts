import { readVaultKeyFile, type VaultKeyFile } from '@tollgate/gateway/config'
import { openKeyOperator, VaultFileError } from '@tollgate/gateway/operator-keys'
import { existsSync } from 'node:fs'
import { emergencyOf } from './emergency-option.ts'
import { withOpened, type OperatorCommand, type OperatorContext } from './operator-work.ts'
import { withProgress } from './progress.ts'
import { sentenceOf, StartupError } from './startup-error.ts'

/** All saved cards to an encrypted file and back. docs/vault-format.md */
export const vault: OperatorCommand = {
  name: 'vault',
  summary:
    'vault export|import <file> --key-file <file>: export or import all saved cards, encrypted',
  forms: [
    {
      words: 'export <file>',
      options: ['--key-file <file>', '[--emergency <reason>]'],
      help: 'writes all saved cards to a new file',
      run: ({ word, option }, context) =>
        transfer('export', word('file'), option('key-file') ?? '', emergencyOf(option), context),
    },
    {
      words: 'import <file>',
      options: ['--key-file <file>'],
      help: 'imports the cards of a file',
      run: ({ word, option }, context) =>
        transfer('import', word('file'), option('key-file') ?? '', null, context),
    },
  ],
  notes: '  In production, an export needs an approved request of two operators.',
}

async function transfer(
  what: 'export' | 'import',
  path: string,
  keyFile: string,
  emergency: string | null,
  { env, print, complain }: OperatorContext,
): Promise<number> {
  const { key, warning } = readKey(keyFile)
  if (warning !== null) complain(`Warning: ${warning}`)
  if (what === 'export' && existsSync(path)) {
    throw new StartupError(`The file ${path} already exists. Choose a new file name.`)
  }
  if (what === 'import' && !existsSync(path))
    throw new StartupError(`The file ${path} does not exist.`)
  return withProgress(complain, (set) => {
    const onProgress = (cards: number): void => set(`${cards} cards`)
    onProgress(0)
    return withOpened(env, openKeyOperator, async (operator) => {
      try {
        if (what === 'export') {
          const { cards, unreadable } = await operator.exportTo(path, key, emergency, onProgress)
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
        print(`${cards} cards were imported; ${known} of them existed already.`)
        if (restored > 0) print(`${restored} of those are readable again.`)
        if (idsFile !== null)
          print(`${newIds.length} customers and cards have new ids: ${idsFile} lists them.`)
        return 0
      } catch (error) {
        if (error instanceof VaultFileError)
          throw new StartupError(`${error.message} Nothing was imported.`)
        throw new StartupError(
          sentenceOf(error) + (what === 'export' ? ' No file was left.' : ' Nothing was imported.'),
        )
      }
    })
  })
}

function readKey(path: string): VaultKeyFile & { readonly kind: 'key' } {
  const found = readVaultKeyFile(path)
  if (found.kind === 'missing') {
    const making = `(umask 077; openssl rand -base64 32 > ${path})`
    throw new StartupError(`The key file ${path} does not exist. Create one with "${making}".`)
  }
  if (found.kind === 'faulty') throw new StartupError(found.problem)
  return found
}
