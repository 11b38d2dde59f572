import type { OperatorSummary, PortalUserLink } from '@tollgate/gateway/operator'
import { refuse, withOperator, type OperatorCommand } from './operator-work.ts'

/** Operators of the console: above all the first owner. docs/operators/console.md */
export const operators: OperatorCommand = {
  name: 'operators',
  summary: 'list operators of the console; operators invite, role, disable, enable and reset',
  forms: [
    {
      words: '[list]',
      options: ['[--json]'],
      help: 'lists all operators, with role and state',
      async run({ has }, { env, print }) {
        const listed = await withOperator(env, (operator) => operator.operators.list())
        if (has('json')) print(JSON.stringify(listed, plain, 2))
        else for (const each of listed) print(operatorLine(each))
        return 0
      },
    },
    {
      words: 'invite <e-mail> <role> <name>...',
      help: 'invites an operator, and prints the link to set the password',
      async run({ word, words }, { env, print, complain }) {
        const [email, role] = [word('e-mail'), word('role')]
        const name = words('name').join(' ')
        const invited = await withOperator(env, (operator) =>
          operator.operators.invite(email, role, name),
        )
        if (!invited.ok) return refuse(invited.faults, complain)
        print(`${email} was invited to the console as ${role}.`)
        return printLink(invited, print)
      },
    },
    {
      words: 'role <e-mail> <role>',
      help: 'gives an operator another role',
      async run({ word }, { env, print, complain }) {
        const [email, role] = [word('e-mail'), word('role')]
        const set = await withOperator(env, (operator) => operator.operators.setRole(email, role))
        if (!set.ok) return refuse(set.faults, complain)
        print(`${email} has the role ${role}.`)
        return 0
      },
    },
    {
      words: 'reset <e-mail>',
      help: 'removes password and second factor, and prints a link to set new ones',
      async run({ word }, { env, print, complain }) {
        const email = word('e-mail')
        const reset = await withOperator(env, (operator) => operator.operators.reset(email))
        if (!reset.ok) return refuse(reset.faults, complain)
        print(`${email} was signed out; password and second factor were removed.`)
        return printLink(reset, print)
      },
    },
    {
      words: 'disable|enable <e-mail>',
      help: 'blocks the sign-in of an operator, or allows it again',
      async run({ word }, { env, print, complain }) {
        const [what, email] = [word('disable|enable'), word('e-mail')]
        const done = await withOperator(env, (operator) =>
          operator.operators.setActive(email, what === 'enable'),
        )
        if (!done.ok) return refuse(done.faults, complain)
        print(`${email} was ${what}d${what === 'disable' ? ', and signed out everywhere' : ''}.`)
        return 0
      },
    },
  ],
  notes: '  A role is owner, admin or viewer.',
}

function printLink({ address, expiresAt }: PortalUserLink, print: (line: string) => void): number {
  print(`The link is shown only now. It works once, until ${expiresAt.toISOString()}:`)
  print(address)
  print('Hand it over in private: the operator who opens it sets the password.')
  return 0
}

function operatorLine(operator: OperatorSummary): string {
  const { email, name, role, state, hasSecondFactor, lastSeenAt } = operator
  const seen = lastSeenAt === null ? 'never' : lastSeenAt.toISOString()
  const factor = hasSecondFactor ? 'on' : 'off'
  return `${email}: ${name}, ${role}, ${state}, second factor ${factor}, last seen ${seen}`
}

function plain(_: string, value: unknown): unknown {
  return typeof value === 'bigint' ? value.toString() : value
}
