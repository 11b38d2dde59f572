import { Group, MultiSelect, Select, Text, TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import type { ConsoleMerchant } from '@tollgate/portal-contract/answers/console'
import { consoleLinks, consoleMerchants } from '@tollgate/portal-contract/routes/console'
import { useState, type ReactNode } from 'react'
import { Confirm } from '../parts/confirm.tsx'
import { showDone } from '../parts/done.ts'
import { call } from '../shell/api.ts'
import { everythingChanged } from '../shell/query-client.ts'
import { DETAIL_ROWS, readCurrencies, type DetailField } from './account-fields.ts'

const BUNDLED = ''

const EMPTY = {
  processorName: '',
  acquirerId: '',
  acquirerMerchantId: '',
  categoryCode: '',
  name: '',
  city: '',
  country: '',
  currencies: '',
}
type Field = keyof typeof EMPTY

type FieldText = Omit<DetailField, 'name'> & { readonly name: Field }

const NAMES: FieldText = { name: 'processorName', label: 'Name of the bank', most: 60 }
const ROWS: readonly (readonly FieldText[])[] = [
  [
    { name: 'acquirerMerchantId', label: 'Merchant id at the acquirer', most: 15 },
    { name: 'acquirerId', label: 'Acquirer id', most: 11, description: 'Empty: that of the link.' },
  ],
  ...DETAIL_ROWS,
]

/** Asks for the description of a new account. The gateway chooses its number. */
export function NewAccount({
  merchant: { id, name: owner, sites },
  onClose,
}: {
  readonly merchant: ConsoleMerchant
  readonly onClose: () => void
}) {
  const { data: links = [] } = useQuery({
    queryKey: ['links'],
    queryFn: ({ signal }) => call(consoleLinks.list, { signal }),
  })
  const [link, setLink] = useState(BUNDLED)
  const [typed, setTyped] = useState(EMPTY)
  const [chosen, setChosen] = useState<readonly string[]>(sites.map((site) => site.id))
  const field = ({ name, label, most, description }: FieldText): ReactNode => (
    <TextInput
      key={name}
      label={label}
      description={description}
      maxLength={most}
      data-autofocus={name === 'processorName' || undefined}
      value={typed[name]}
      onChange={({ currentTarget: { value } }) => setTyped({ ...typed, [name]: value })}
    />
  )
  const create = async (): Promise<void> => {
    const { currencies, acquirerId, ...texts } = typed
    const body = {
      ...texts,
      mode: links.find(({ name }) => name === link)?.mode ?? 'test',
      link: link === BUNDLED ? null : link,
      acquirerId: acquirerId.trim() === '' ? null : acquirerId,
      currencies: readCurrencies(currencies),
      sites: chosen,
    }
    const { id: account } = await call(consoleMerchants.createAccount, { path: { id }, body })
    showDone(`Account ${account} was created.`)
    await everythingChanged()
  }
  return (
    <Confirm
      opened
      title={`Create an account of ${owner}`}
      action="Create account"
      onConfirm={create}
      onClose={onClose}
    >
      <Select
        label="Link"
        description="An account has the mode of its link, and stays with it."
        allowDeselect={false}
        data={[
          { value: BUNDLED, label: 'The bundled bank (test)' },
          ...links.map(({ name, mode }) => ({ value: name, label: `${name} (${mode})` })),
        ]}
        value={link}
        onChange={(value) => setLink(value ?? BUNDLED)}
      />
      {field(NAMES)}
      {ROWS.map((row) => (
        <Group key={row[0]?.name} grow align="flex-end">
          {row.map(field)}
        </Group>
      ))}
      <MultiSelect
        label="Sites"
        data={sites.map((site) => ({ value: site.id, label: `${site.id} ${site.name}` }))}
        value={[...chosen]}
        onChange={setChosen}
      />
      <Text size="sm" c="dimmed">
        Demands of the acquirer, 3-D Secure and unreferenced credits are set afterwards, in the list
        of accounts.
      </Text>
    </Confirm>
  )
}
