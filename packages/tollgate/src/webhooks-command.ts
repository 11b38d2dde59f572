import type { DeliveryView, EndpointView, Operator, Result } from '@tollgate/gateway/operator'
import type { TypedArguments } from './command.ts'
import { WrongUsage } from './command.ts'
import {
  refuse,
  withOperator,
  type OperatorCommand,
  type OperatorContext,
} from './operator-work.ts'

const SHOWN = 20

/** Addresses that events of a site are posted to. docs/operators/webhooks.md */
export const webhooks: OperatorCommand = {
  name: 'webhooks',
  summary: 'webhooks list|add|log|... shows and changes the addresses that events are posted to',
  forms: [
    {
      words: 'list <SITE_ID>',
      help: 'lists the endpoints of a site, with their state and backlog',
      async run({ word }, { env, print }) {
        const siteId = BigInt(word('SITE_ID'))
        const listed = await withOperator(env, (operator) => operator.webhooks.list(siteId))
        if (listed.length === 0) print(`Site ${siteId} has no endpoint.`)
        for (const line of listed.flatMap(endpointLines)) print(line)
        return 0
      },
    },
    {
      words: 'add <SITE_ID> <url>',
      options: ['[--types <types>]'],
      help: 'adds an endpoint for all events, or for types and their beginnings',
      async run({ option, word }, { env, print, complain }) {
        const draft = { url: word('url'), types: typesOf(option('types')) }
        const siteId = BigInt(word('SITE_ID'))
        const added = await withOperator(env, (operator) => operator.webhooks.add(siteId, draft))
        if (!added.ok) return refuse(added.faults, complain)
        print(`Endpoint ${added.id} was added. Its secret, shown only now:`)
        print(added.secret.reveal())
        return 0
      },
    },
    {
      words: 'change <ENDPOINT_ID>',
      options: ['[--url <url>]', '[--types <types>]'],
      help: 'changes the address or the types; --types all stands for all types',
      run({ option, word }, context) {
        const [url, types] = [option('url'), option('types')]
        if (url === undefined && types === undefined) throw new WrongUsage('Nothing is to change.')
        const changes = {
          ...(url === undefined ? {} : { url }),
          ...(types === undefined ? {} : { types: typesOf(types) }),
        }
        return change(context, 'was changed', word, ({ webhooks: { change: run } }, id) =>
          run(id, changes),
        )
      },
    },
    {
      words: 'remove <ENDPOINT_ID>',
      help: 'removes an endpoint with its secrets and deliveries',
      run: ({ word }, context) =>
        change(context, 'was removed', word, (operator, id) => operator.webhooks.remove(id)),
    },
    {
      words: 'rotate <ENDPOINT_ID>',
      help: 'creates a secret; the one before it signs too until remove-secret',
      async run({ word }, { env, print, complain }) {
        const id = BigInt(word('ENDPOINT_ID'))
        const made = await withOperator(env, (operator) => operator.webhooks.rotate(id))
        if (!made.ok) return refuse(made.faults, complain)
        print(`The new secret of endpoint ${id}, shown only now:`)
        print(made.secret.reveal())
        print(`The previous one signs too until "tollgate webhooks remove-secret ${id}".`)
        return 0
      },
    },
    {
      words: 'remove-secret <ENDPOINT_ID>',
      help: 'removes the older of two secrets',
      run: ({ word }, context) =>
        change(context, 'has one secret now', word, (operator, id) =>
          operator.webhooks.removeOldSecret(id),
        ),
    },
    {
      words: 'pause <ENDPOINT_ID>',
      help: 'sends nothing until resume; events wait in the feed',
      run: ({ word }, context) =>
        change(context, 'is paused', word, (operator, id) => operator.webhooks.pause(id)),
    },
    {
      words: 'resume <ENDPOINT_ID>',
      help: 'sends again, also the events since the pause',
      run: ({ word }, context) =>
        change(context, 'is enabled', word, (operator, id) => operator.webhooks.resume(id)),
    },
    {
      words: 'test <ENDPOINT_ID>',
      help: 'sends the event endpoint.tested to this endpoint',
      run: ({ word }, context) =>
        change(context, 'gets a test event', word, (operator, id) => operator.webhooks.test(id)),
    },
    {
      words: 'log <ENDPOINT_ID>',
      options: ['[--state failed|pending]'],
      help: `shows the newest ${SHOWN} deliveries with their attempts`,
      async run({ option, word }, { env, print, complain }) {
        const id = BigInt(word('ENDPOINT_ID'))
        const state = (option('state') ?? null) as 'failed' | 'pending' | null
        const log = await withOperator(env, (operator) =>
          operator.webhooks.readLog(id, state, SHOWN),
        )
        if (log === null) {
          complain(`Endpoint ${id} does not exist.`)
          return 1
        }
        if (log.length === 0) print('There is no such delivery.')
        for (const line of log.flatMap(deliveryLines)) print(line)
        return 0
      },
    },
    {
      words: 'resend <ENDPOINT_ID>',
      options: ['[--event <id>]', '[--since <time>]', '[--delivered]'],
      help: 'sends failed deliveries again, or one event; --delivered: also those that succeeded',
      async run({ has, option, word }, { env, print, complain }) {
        const id = BigInt(word('ENDPOINT_ID'))
        const since = option('since')
        if (since !== undefined && Number.isNaN(Date.parse(since))) {
          complain(`--since is ${since}; it must be a time such as 2026-11-24T09:00:00Z.`)
          return 2
        }
        const eventId = option('event') ?? null
        const sent = await withOperator(env, (operator) =>
          operator.webhooks.sendAgain(id, {
            eventId,
            isFailedOnly: eventId === null && !has('delivered'),
            since: since === undefined ? null : new Date(since),
          }),
        )
        if (!sent.ok) return refuse(sent.faults, complain)
        print(`${sent.count} deliveries of endpoint ${id} are queued.`)
        return 0
      },
    },
  ],
}

async function change(
  { env, print, complain }: OperatorContext,
  done: string,
  word: TypedArguments['word'],
  run: (operator: Operator, id: bigint) => Promise<Result>,
): Promise<number> {
  const id = BigInt(word('ENDPOINT_ID'))
  const changed = await withOperator(env, (operator) => run(operator, id))
  if (!changed.ok) return refuse(changed.faults, complain)
  print(`Endpoint ${id} ${done}.`)
  return 0
}

function typesOf(text = 'all'): readonly string[] {
  return text === 'all' ? [] : text.split(',').map((type) => type.trim())
}

function endpointLines(endpoint: EndpointView): string[] {
  const { failed, failures, failingSince, id, pending, reason, state, types, url } = endpoint
  const why = reason === '' ? '' : ` (${reason})`
  const since =
    failingSince === null ? '' : `, ${failures} failures since ${failingSince.toISOString()}`
  return [
    `${id}: ${state}${why}, ${url}`,
    `  ${types.join(', ') || 'all types'}; ${pending} pending, ${failed} failed${since}`,
    `  secrets of ${endpoint.secretsMadeAt.map((at) => at.toISOString()).join(' and ')}`,
  ]
}

function deliveryLines({ attempts, eventId, log, object, state, type }: DeliveryView): string[] {
  return [
    `${eventId} ${type} of ${object}: ${state}, ${attempts} attempts`,
    ...log.map(({ at, durationMs, fault, played, status }) => {
      const result = fault === '' ? `answered ${status}` : fault
      const mark = played === '' ? '' : ` (fault ${played})`
      return `  ${at.toISOString()} ${durationMs} ms: ${result}${mark}`
    }),
  ]
}
