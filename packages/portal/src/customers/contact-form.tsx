import { Alert, Button, Fieldset, Group, SimpleGrid, Stack, TextInput } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import type {
  CustomerAddress,
  CustomerContact,
  CustomerView,
} from '@tollgate/portal-contract/answers/customers'
import * as routes from '@tollgate/portal-contract/routes'
import { useState } from 'react'
import { Dialog } from '../parts/dialog.tsx'
import { showDone } from '../parts/done.ts'
import { call, ApiFault } from '../shell/api.ts'
import { everythingChanged } from '../shell/query-client.ts'

const ADDRESS: readonly (readonly [part: keyof CustomerAddress, label: string])[] = [
  ['street', 'Street'],
  ['street2', 'Address line 2'],
  ['postalCode', 'Postal code'],
  ['city', 'City'],
  ['state', 'State'],
  ['district', 'District'],
  ['country', 'Country code, such as US'],
]

/** Changes what is kept of a customer; only over what was seen. */
export function ContactForm({
  customer,
  onClose,
}: {
  readonly customer: CustomerView
  readonly onClose: () => void
}) {
  // The values from when the form was opened, regardless of later loads.
  const [seen] = useState<CustomerContact>(customer.contact)
  const [wanted, setWanted] = useState<CustomerContact>(seen)
  const save = useMutation({
    mutationFn: () =>
      call(routes.customers.changeContact, {
        path: { customerId: customer.id },
        body: { seen, wanted },
      }),
    onSuccess: async () => {
      showDone('Customer saved.')
      onClose()
      await everythingChanged()
    },
  })
  const fault = save.error instanceof ApiFault ? save.error : null
  const at = (field: string): string | undefined =>
    fault?.field === `wanted.${field}` ? fault.message.replace(`wanted.${field}: `, '') : undefined
  const plain = (
    name: 'firstName' | 'lastName' | 'email' | 'phone',
    label: string,
    type = 'text',
  ) => (
    <TextInput
      label={label}
      type={type}
      value={wanted[name]}
      error={at(name)}
      maxLength={255}
      onChange={({ currentTarget: { value } }) => setWanted((old) => ({ ...old, [name]: value }))}
    />
  )
  const address = (name: 'billing' | 'shipping', legend: string) => (
    <Fieldset legend={legend}>
      <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="sm">
        {ADDRESS.map(([part, label]) => (
          <TextInput
            key={part}
            label={label}
            value={wanted[name][part]}
            error={at(`${name}.${part}`)}
            maxLength={part === 'country' ? 3 : 255}
            onChange={({ currentTarget: { value } }) =>
              setWanted((old) => ({ ...old, [name]: { ...old[name], [part]: value } }))
            }
          />
        ))}
      </SimpleGrid>
    </Fieldset>
  )
  return (
    <Dialog opened onClose={onClose} title="Edit contact" size="lg" closeOnClickOutside={false}>
      <form
        noValidate
        onSubmit={(event) => {
          event.preventDefault()
          if (!save.isPending) save.mutate()
        }}
      >
        <Stack>
          <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="sm">
            {plain('firstName', 'First name')}
            {plain('lastName', 'Last name')}
            {plain('email', 'E-mail', 'email')}
            {plain('phone', 'Phone', 'tel')}
          </SimpleGrid>
          {address('billing', 'Billing address (used for the AVS check of saved cards)')}
          {address('shipping', 'Shipping address')}
          {save.error !== null && (fault?.field ?? null) === null && (
            <Alert color="red" role="alert">
              {save.error.message}
            </Alert>
          )}
          <Group justify="flex-end" gap="xs">
            <Button variant="default" onClick={onClose} disabled={save.isPending}>
              Cancel
            </Button>
            <Button type="submit" loading={save.isPending}>
              Save
            </Button>
          </Group>
        </Stack>
      </form>
    </Dialog>
  )
}
