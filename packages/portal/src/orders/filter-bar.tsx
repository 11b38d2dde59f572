import { Button, Collapse, Group, MultiSelect, Select, SimpleGrid, Stack } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { IconFilter, IconX } from '@tabler/icons-react'
import { useState } from 'react'
import { shownZone } from '../parts/shown-zone.ts'
import { TypedField } from '../parts/typed-field.tsx'
import { chipsOf, TIMES, type FilterDefinition } from './filters.ts'
import type { ListSearch, SearchName } from './list-search.ts'

type Change = (changes: Readonly<Partial<Record<SearchName, string | null>>>) => void

interface FilterBarProps {
  readonly search: ListSearch
  readonly change: Change
  readonly filters: readonly FilterDefinition[]
  readonly clear: () => void
}

const ANY = 'any'
const CUSTOM = 'custom'

/**
 * Quick times, all filters behind a button, and what is chosen as chips that go away one by one.
 */
export function FilterBar({ search, change, filters, clear }: FilterBarProps) {
  const [opened, { toggle }] = useDisclosure()
  const chips = chipsOf(search, filters)
  const isCustom =
    search.time === undefined && (search.from !== undefined || search.to !== undefined)
  const [picking, setPicking] = useState(isCustom)
  return (
    <Stack gap="xs">
      <Group gap="xs" align="flex-end">
        <Select
          aria-label="Time"
          w={150}
          allowDeselect={false}
          data={[{ value: ANY, label: 'Any time' }, ...TIMES, { value: CUSTOM, label: 'Days …' }]}
          value={search.time ?? (isCustom || picking ? CUSTOM : ANY)}
          onChange={(value) => {
            setPicking(value === CUSTOM)
            if (value !== CUSTOM)
              change({ time: value === ANY ? null : value, from: null, to: null })
            else change({ time: null })
          }}
        />
        {(isCustom || picking) && search.time === undefined && (
          <DayFields search={search} change={change} />
        )}
        <Button
          variant="default"
          leftSection={<IconFilter size={16} aria-hidden />}
          onClick={toggle}
          aria-expanded={opened}
        >
          {opened ? 'Hide filters' : 'Filters'}
        </Button>
        {chips.map(({ title, text, without }) => (
          <Button
            key={`${title} ${text}`}
            variant="light"
            size="compact-sm"
            mb={5}
            rightSection={<IconX size={13} aria-hidden />}
            aria-label={`Remove ${title}: ${text}`}
            onClick={() => change(without)}
            maw="100%"
          >
            {title}: {text}
          </Button>
        ))}
        {chips.length > 1 && (
          <Button variant="subtle" size="compact-sm" mb={5} onClick={clear}>
            Clear all
          </Button>
        )}
      </Group>
      <Collapse expanded={opened} animateOpacity={false}>
        {opened && (
          <SimpleGrid
            cols={{ base: 1, xs: 2, md: 3, lg: 4, xl: 6 }}
            spacing="xs"
            verticalSpacing="xs"
            pb="xs"
          >
            {filters.map((filter) => (
              <Filter key={filter.name} filter={filter} search={search} change={change} />
            ))}
            <Text
              name="min"
              label="Amount from"
              placeholder="12.50"
              search={search}
              change={change}
            />
            <Text
              name="max"
              label="Amount to"
              placeholder="100.00"
              search={search}
              change={change}
            />
          </SimpleGrid>
        )}
      </Collapse>
    </Stack>
  )
}

function DayFields(props: Pick<TextProps, 'search' | 'change'>) {
  return (
    <>
      <Text name="from" label={`From (${shownZone()})`} type="date" {...props} />
      <Text name="to" label={`To (${shownZone()})`} type="date" {...props} />
    </>
  )
}

function Filter({
  filter,
  search,
  change,
}: {
  readonly filter: FilterDefinition
  readonly search: ListSearch
  readonly change: Change
}) {
  const { name, title, options, several, placeholder = '' } = filter
  const value = search[name] ?? ''
  if (options === undefined)
    return (
      <Text name={name} label={title} placeholder={placeholder} search={search} change={change} />
    )
  const data = options.map((option) => ({ ...option }))
  if (several !== true) {
    return (
      <Select
        label={title}
        searchable
        clearable
        placeholder="Any"
        data={data}
        value={value === '' ? null : value}
        onChange={(next) => change({ [name]: next })}
      />
    )
  }
  return (
    <MultiSelect
      label={title}
      searchable
      placeholder={value === '' ? 'Any' : ''}
      data={data}
      value={value.split(',').filter((part) => part !== '')}
      onChange={(next) => change({ [name]: next.join(',') })}
    />
  )
}

interface TextProps {
  readonly name: SearchName
  readonly label: string
  readonly placeholder?: string
  readonly type?: string
  readonly search: ListSearch
  readonly change: Change
}

function Text({ name, search, change, ...shown }: TextProps) {
  return (
    <TypedField
      {...shown}
      value={search[name]}
      onApply={(text) =>
        change({ [name]: text, ...(name === 'from' || name === 'to' ? { time: null } : {}) })
      }
    />
  )
}
