import type { PortalUserLink, PortalUserSummary } from '@tollgate/gateway/operator'
import { refuse, withOperator, type OperatorCommand } from './operator-work.ts'

/** Portal users: above all the first owner of a merchant. docs/operators/portal-users.md */
export const portalUsers: OperatorCommand = {
  name: 'portal-users',
  summary: 'list portal users; portal-users add, reset, disable and enable change them',
  forms: [
    {
      words: '[list]',
      options: ['[--json]'],
      help: 'lists all portal users, with role and state',
      async run({ has }, { env, print }) {
        const listed = await withOperator(env, (operator) => operator.portalUsers.list())
        if (has('json')) print(JSON.stringify(listed, plain, 2))
        else for (const portalUser of listed) print(portalUserLine(portalUser))
        return 0
      },
    },
    {
      words: 'add <merchant> <e-mail> <role> <name>...',
      help: 'invites a portal user, and prints the link to set the password',
      async run({ word, words }, { env, print, complain }) {
        const [merchant, email, role] = [word('merchant'), word('e-mail'), word('role')]
        const name = words('name').join(' ')
        const added = await withOperator(env, (operator) =>
          operator.portalUsers.add(Number(merchant), email, role, name),
        )
        if (!added.ok) return refuse(added.faults, complain)
        print(`${email} was invited to merchant ${merchant} as ${role}.`)
        return printLink(added, print)
      },
    },
    {
      words: 'reset <e-mail>',
      help: 'removes password and second factor, and prints a link to set new ones',
      async run({ word }, { env, print, complain }) {
        const email = word('e-mail')
        const reset = await withOperator(env, (operator) => operator.portalUsers.reset(email))
        if (!reset.ok) return refuse(reset.faults, complain)
        print(`${email} was signed out; password and second factor were removed.`)
        return printLink(reset, print)
      },
    },
    {
      words: 'disable|enable <e-mail>',
      help: 'blocks the sign-in of a portal user, or allows it again',
      async run({ word }, { env, print, complain }) {
        const [what, email] = [word('disable|enable'), word('e-mail')]
        const done = await withOperator(env, (operator) =>
          operator.portalUsers.setActive(email, what === 'enable'),
        )
        if (!done.ok) return refuse(done.faults, complain)
        print(`${email} was ${what}d${what === 'disable' ? ', and signed out everywhere' : ''}.`)
        return 0
      },
    },
  ],
  notes: '  A role is owner, admin, finance, support, developer or read_only.',
}

function printLink({ address, expiresAt }: PortalUserLink, print: (line: string) => void): number {
  print(`The link is shown only now. It works once, until ${expiresAt.toISOString()}:`)
  print(address)
  print('Hand it over in private: the portal user who opens it sets the password.')
  return 0
}

function portalUserLine({
  email,
  name,
  merchantId,
  role,
  state,
  hasSecondFactor,
  lastSeenAt,
}: PortalUserSummary): string {
  const seen = lastSeenAt === null ? 'never' : lastSeenAt.toISOString()
  return `${email}: ${name}, merchant ${merchantId}, ${role}, ${state}, second factor ${hasSecondFactor ? 'on' : 'off'}, last seen ${seen}`
}

function plain(_: string, value: unknown): unknown {
  return typeof value === 'bigint' ? value.toString() : value
}
