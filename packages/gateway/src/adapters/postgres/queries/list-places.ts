import type { ListBounds, ListPlace } from '../../../domain/queries/list-cursor.ts'
import type { FilterName, ListFilter } from '../../../usecases/queries/list-reader.ts'
import { micros, type Client, type ListSource } from './list-source.ts'

/** A row's place, and whether it is the last one that was looked at. */
export interface FoundPlaces {
  readonly places: readonly ListPlace[]
  /** The place behind which the list goes on; null at its end. */
  readonly next: ListPlace | null
}

/** So many rows are looked at for one page, however few of them pass the filter. */
const LOOKED_AT_ONCE = 10_000
/** More rows than this are not looked up, but met on the way through the list. */
const MANY = 1_000

interface PlaceRow {
  readonly id: string | null
  readonly at_micros: string
  readonly looked_at: number
  readonly last_id: string | null
  readonly last_micros: string
}

class Values {
  readonly list: unknown[]

  constructor(merchantId: bigint) {
    this.list = [merchantId]
  }

  add(value: unknown): string {
    return `$${this.list.push(value)}`
  }
}

const moment = (value: string): string =>
  `(timestamptz 'epoch' + ${value}::bigint * interval '1 microsecond')`

/** The places of at most `limit` rows behind `after`. */
export async function findPlaces(
  client: Client,
  source: ListSource,
  filter: ListFilter,
  bounds: ListBounds,
  after: ListPlace | null,
  limit: number,
): Promise<FoundPlaces> {
  const narrow = await findNarrow(client, source, filter)
  const values = new Values(filter.merchantId)
  const own = ownConditions(source, filter, bounds, after, values)
  if (narrow !== null) own.push(`${source.narrowKey} = any(${values.add(narrow)}::bigint[])`)
  const rest = [...filter.values].map(([name, value]) =>
    conditionOf(source, name)(values.add(value)),
  )
  // An index that is sorted by id is walked to the times, some rows at once.
  const times = timesOf(source, filter, values)
  if (source.sortedBy === 'time') own.push(...times)
  else rest.push(...times)
  const isWalk = narrow === null && rest.length > 0
  const look = isWalk ? LOOKED_AT_ONCE : limit + 1
  const { rows } = await client.query<PlaceRow>(
    narrow === null
      ? walk(source, own, rest, look, limit)
      : `${select(source)} from ${source.table} ${source.alias} ${source.joins}
          where ${[...own, ...rest].join(' and ')} ${sort(source)} limit ${limit + 1}`,
    values.list,
  )
  const places = rows.flatMap((row) => (row.id === null ? [] : [placeOf(row.id, row.at_micros)]))
  if (places.length > limit) {
    return { places: places.slice(0, limit), next: places[limit - 1] ?? null }
  }
  const [first] = rows
  const isCut = isWalk && first?.looked_at === look && first.last_id !== null
  return { places, next: isCut ? placeOf(first.last_id, first.last_micros) : null }
}

function placeOf(id: string, atMicros: string): ListPlace {
  return { id: BigInt(id), atMicros: BigInt(atMicros) }
}

function conditionOf(source: ListSource, name: FilterName): (value: string) => string {
  const condition = source.conditions[name]
  if (condition === undefined) throw new Error(`The list ${source.table} has no filter ${name}.`)
  return condition
}

function select({ alias, at, sortedBy }: ListSource): string {
  return `select ${alias}.id, ${sortedBy === 'time' ? micros(at) : '0'} as at_micros`
}

function sort({ alias, at, sortedBy }: ListSource, direction = ''): string {
  const id = `${alias}.id ${direction}`
  return sortedBy === 'time' ? `order by ${at} ${direction}, ${id}` : `order by ${id}`
}

function timesOf({ at }: ListSource, { from, to }: ListFilter, values: Values): string[] {
  return [
    ...(from === null ? [] : [`${at} >= ${values.add(from)}::timestamptz`]),
    ...(to === null ? [] : [`${at} < ${values.add(to)}::timestamptz`]),
  ]
}

/** The merchant, the watermark and the place: what an index of the list answers. */
function ownConditions(
  { alias, at, markedBy, sortedBy }: ListSource,
  { values: filters }: ListFilter,
  { watermark }: ListBounds,
  after: ListPlace | null,
  values: Values,
): string[] {
  const own = [`${alias}.merchant_id = $1`]
  own.push(
    markedBy === 'time'
      ? `${at} <= ${moment(values.add(watermark))}`
      : `${alias}.id <= ${values.add(watermark)}::bigint`,
  )
  if (after !== null) {
    const id = `${values.add(after.id)}::bigint`
    own.push(
      sortedBy === 'time'
        ? `(${at}, ${alias}.id) > (${moment(values.add(after.atMicros))}, ${id})`
        : `${alias}.id > ${id}`,
    )
  }
  if (filters.has('batch') && sortedBy === 'id') {
    own.push(
      `${alias}.batch_id = ${values.add(filters.get('batch'))}::bigint`,
      `${alias}.batch_id is not null`,
      `${alias}.kind in ('sale', 'capture', 'refund')`,
      `${alias}.concluded_at is not null`,
    )
  }
  return own
}

/** So many rows of the index, and of them the ones that pass the other conditions. */
function walk(
  source: ListSource,
  own: readonly string[],
  rest: readonly string[],
  look: number,
  limit: number,
): string {
  const { alias, at, joins, sortedBy } = source
  return `
with looked_at as materialized (${looked(source, own, look)})
select l.*, n.looked_at, z.id as last_id, z.at_micros as last_micros
  from (select count(*)::int as looked_at from looked_at) n
  left join lateral (
    select ${alias}.id, ${sortedBy === 'time' ? micros(at) : '0'} as at_micros
      from looked_at ${alias} ${sort(source, 'desc')} limit 1) z on true
  left join lateral (
    ${select(source)} from looked_at ${alias} ${rest.length > 0 ? joins : ''}
     where ${rest.length > 0 ? rest.join(' and ') : 'true'} ${sort(source)} limit ${limit + 1}) l
    on true
 order by l.at_micros, l.id`
}

const MEMBERSHIP_STATES = `'active', 'past_due', 'cancel_scheduled', 'cancelled', 'ended'`

/** The index of memberships begins with the state: some of each state, and of these the first. */
function looked(source: ListSource, own: readonly string[], look: number): string {
  const { alias, table } = source
  const limited = `${sort(source)} limit ${look}`
  if (table !== 'memberships') {
    return `select ${alias}.* from ${table} ${alias} where ${own.join(' and ')} ${limited}`
  }
  return `select ${alias}.* from unnest(array[${MEMBERSHIP_STATES}]) as e (state)
          cross join lateral (
            select ${alias}.* from ${table} ${alias}
             where ${own.join(' and ')} and ${alias}.state = e.state
             ${limited}) ${alias} ${limited}`
}

/** The ids of the first filter that few rows fit; null where every one has many, or none is. */
async function findNarrow(
  client: Client,
  { narrow }: ListSource,
  { merchantId, values }: ListFilter,
): Promise<readonly string[] | null> {
  for (const [name, value] of values) {
    const text = narrow[name]
    if (text === undefined) continue
    const { rows } = await client.query<{ id: string }>(
      `select n.id from (${text}) n limit ${MANY + 1}`,
      [merchantId, value],
    )
    if (rows.length <= MANY) return rows.map(({ id }) => id)
  }
  return null
}
