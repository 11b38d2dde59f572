import {
  openKeyOperator,
  type DataKeyView,
  type KeyOperator,
  type KeysView,
} from '@tollgate/gateway/operator-keys'
import { WrongUsage } from './command.ts'
import { emergencyOf } from './emergency-option.ts'
import { withOpened, type OperatorCommand, type OperatorContext } from './operator-work.ts'
import { withProgress } from './progress.ts'
import { sentenceOf, StartupError } from './startup-error.ts'
import type { Terminal } from './terminal.ts'

/** Lists, rotates, rewraps and destroys data keys. docs/operators/keys.md */
export const keys: OperatorCommand = {
  name: 'keys',
  summary: 'keys list|rotate|rewrap|destroy: the keys that card data is encrypted under',
  forms: [
    {
      words: 'list',
      help: 'lists the data keys, and how many cards are under each',
      run: (_, context) => perform('list', NOTHING, context),
    },
    {
      words: '',
      help: 'does the same',
      run: (_, context) => perform('list', NOTHING, context),
    },
    {
      words: 'rotate',
      help: 'creates a data key for card numbers, and starts the re-encryption',
      run: (_, context) => perform('rotate', NOTHING, context),
    },
    {
      words: 'rotate fingerprint',
      help: 'is refused: the fingerprint key never changes',
      run(_, { complain }) {
        complain(
          'The fingerprint key never changes, because it finds stored cards again. ' +
            'Only the key for card numbers can be rotated. Nothing was changed.',
        )
        return 1
      },
    },
    {
      words: 'rewrap',
      options: ['[--emergency <reason>]'],
      help: 'wraps the data keys again under the current key-encrypting key',
      run: ({ option }, context) =>
        perform('rewrap', { ...NOTHING, emergency: emergencyOf(option) }, context),
    },
    {
      words: 'destroy <id>',
      options: ['[--unreadable-cards <number>]', '[--emergency <reason>]'],
      help: 'destroys a retired key permanently',
      run({ word, option }, context) {
        const cards = option('unreadable-cards')
        if (cards !== undefined && !/^[0-9]{1,12}$/.test(cards)) {
          throw new WrongUsage('--unreadable-cards must be a number.')
        }
        const unreadable = cards === undefined ? null : Number(cards)
        const target = { id: word('id'), unreadable, emergency: emergencyOf(option) }
        return perform('destroy', target, context)
      },
    },
  ],
  notes:
    '  In production, destroy and a replacing rewrap need an approved request of two operators.',
}

interface Target {
  readonly id: string
  readonly unreadable: number | null
  readonly emergency: string | null
}

type What = 'list' | 'rotate' | 'rewrap' | 'destroy'

const NOTHING: Target = { id: '', unreadable: null, emergency: null }

const DOING: Readonly<Record<What, string>> = {
  list: 'counting the cards under each key',
  rotate: 'creating a key',
  rewrap: 'wrapping the keys again',
  destroy: 'counting the cards under the key',
}

function perform(what: What, target: Target, context: OperatorContext): Promise<number> {
  return withProgress(context.complain, (set) => {
    set(DOING[what])
    return withOpened(context.env, openKeyOperator, async (operator) => {
      try {
        return await OPERATIONS[what](operator, target, context)
      } catch (error) {
        throw new StartupError(`${sentenceOf(error)} Nothing was changed.`)
      }
    })
  })
}

type Operation = (operator: KeyOperator, target: Target, terminal: Terminal) => Promise<number>

const OPERATIONS: Readonly<Record<What, Operation>> = {
  async list(operator, _, { print }) {
    for (const line of describeKeys(await operator.list())) print(line)
    return 0
  },
  async rotate(operator, _, { print }) {
    const { made, retired } = await operator.rotate()
    print(
      `Data key ${made} was created. Data key ${retired} is retired: it decrypts, and no longer encrypts.`,
    )
    print(
      'Running gateways load the new key within seconds and then re-encrypt the data under other keys.',
    )
    print('"tollgate keys list" shows the progress.')
    return 0
  },
  async rewrap(operator, { emergency }, { print }) {
    const { keys: count, from, to } = await operator.rewrap(emergency)
    print(`${count} data keys were wrapped again under ${to} (previously: ${from.join(', ')}).`)
    const others = from.filter((kek) => kek !== to)
    if (others.length > 0) {
      print('VAULT_KEY_PREVIOUS is no longer needed: remove it before the next restart.')
    }
    return 0
  },
  async destroy(operator, { id, unreadable, emergency }, { print, complain }) {
    const destroyed = await operator.destroy(Number(id), unreadable, emergency)
    if (!destroyed.ok) {
      for (const fault of destroyed.faults) complain(fault)
      complain('Nothing was changed.')
      return 1
    }
    const lost = destroyed.unreadable
    print(
      `Data key ${id} was destroyed. ${lost === 0 ? 'No card was' : `${lost} cards were`} under it.`,
    )
    print('Database backups may still have the wrapped key: see docs/operators/keys.md.')
    return 0
  },
}

/** The lines of `keys list`. */
export function describeKeys({ keys: all, holders, passes }: KeysView): string[] {
  const lines = all.map(describeKey)
  const active = all.find(({ purpose, state }) => purpose === 'pan' && state === 'active')
  if (active === undefined) return lines
  lines.push('')
  for (const { worker, dataKeyIds, sealsUnder } of holders) {
    const lacks = dataKeyIds.includes(active.id) ? '' : `; it has not loaded data key ${active.id}`
    lines.push(`gateway ${worker}: encrypts under data key ${sealsUnder}${lacks}`)
  }
  if (holders.length === 0) lines.push('no gateway is running')
  for (const pass of passes.filter(({ dataKeyId }) => dataKeyId === active.id)) {
    const state =
      pass.finishedAt === null ? `under way, at id ${pass.afterId}` : `done ${day(pass.finishedAt)}`
    lines.push(`re-encryption of ${pass.table}: ${state}, ${pass.moved} moved`)
  }
  return lines
}

function describeKey(key: DataKeyView): string {
  const {
    id,
    purpose,
    state,
    kekId,
    createdAt,
    retiredAt,
    destroyedAt,
    destroyedBy,
    cards,
    secrets,
  } = key
  const what = purpose === 'pan' ? 'card numbers' : 'fingerprints'
  const dates = [`made ${day(createdAt)}`, retiredAt && `retired ${day(retiredAt)}`].filter(Boolean)
  if (destroyedAt !== null) dates.push(`destroyed ${day(destroyedAt)} by ${destroyedBy}`)
  const held = `${cards} cards and ${secrets} secrets under it`
  const under =
    purpose === 'fingerprint'
      ? 'never changes'
      : state === 'destroyed'
        ? `${cards} unreadable`
        : held
  const wrapped = state === 'destroyed' ? '' : `, wrapped by ${kekId}`
  return `data key ${id}: ${what}, ${state}, ${under}, ${dates.join(', ')}${wrapped}`
}

function day(at: Date): string {
  return at.toISOString().replace(/\.\d+Z$/, 'Z')
}
