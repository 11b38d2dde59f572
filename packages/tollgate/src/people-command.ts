import type { PersonLink, PersonSummary } from '@tollgate/gateway/operator'
import { refuse, withOperator, type OperatorCommand } from './operator-commands.ts'
import type { Terminal } from './terminal.ts'

const USAGE = `Usage:
  tollgate people [list] [--json]
  tollgate people add <merchant> <e-mail> owner|admin|finance|support|developer|read_only <name>
  tollgate people reset <e-mail>
  tollgate people disable|enable <e-mail>`

/** `tollgate people`: who signs in to the portal; above all the first owner of a merchant. */
export const people: OperatorCommand = async (args, env, terminal) => {
  const { print, complain } = terminal
  const [what = 'list', first = '', ...rest] = args
  if (!isComplete(what, args.slice(1))) {
    complain(USAGE)
    return 1
  }
  return withOperator(env, async (operator) => {
    switch (what) {
      case 'list': {
        const listed = await operator.people.list()
        if (first === '--json') print(JSON.stringify(listed, plain, 2))
        else for (const person of listed) print(personLine(person))
        return 0
      }
      case 'add': {
        const [email = '', role = '', ...name] = rest
        const added = await operator.people.add(Number(first), email, role, name.join(' '))
        if (!added.ok) return refuse(added.faults, complain)
        print(`${email} was invited to merchant ${first} as ${role}.`)
        return tellLink(added, terminal)
      }
      case 'reset': {
        const reset = await operator.people.reset(first)
        if (!reset.ok) return refuse(reset.faults, complain)
        print(`${first} is signed out, and password and second factor are gone.`)
        return tellLink(reset, terminal)
      }
      default: {
        const done = await operator.people.setActive(first, what === 'enable')
        if (!done.ok) return refuse(done.faults, complain)
        print(`${first} was ${what}d${what === 'disable' ? ', and signed out everywhere' : ''}.`)
        return 0
      }
    }
  })
}

function isComplete(what: string, rest: readonly string[]): boolean {
  switch (what) {
    case 'list':
      return rest.length === 0 || (rest.length === 1 && rest[0] === '--json')
    case 'add':
      return rest.length >= 4 && /^[1-9][0-9]{0,14}$/.test(rest[0] ?? '')
    default:
      return ['reset', 'disable', 'enable'].includes(what) && rest.length === 1
  }
}

function tellLink({ address, expiresAt }: PersonLink, { print }: Terminal): number {
  print(`The link, which is shown only this once and works once, until ${expiresAt.toISOString()}:`)
  print(address)
  print('Hand it over in a way that nobody else reads: whoever opens it sets the password.')
  return 0
}

function personLine({
  email,
  name,
  merchantId,
  role,
  state,
  hasSecondFactor,
  lastSeenAt,
}: PersonSummary): string {
  const seen = lastSeenAt === null ? 'never' : lastSeenAt.toISOString()
  return `${email}: ${name}, merchant ${merchantId}, ${role}, ${state}, second factor ${hasSecondFactor ? 'on' : 'off'}, last seen ${seen}`
}

function plain(_: string, value: unknown): unknown {
  return typeof value === 'bigint' ? value.toString() : value
}
