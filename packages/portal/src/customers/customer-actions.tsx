import { Button, Group } from '@mantine/core'
import { IconEraser, IconPencil } from '@tabler/icons-react'
import type { CustomerView } from '@tollgate/portal-contract/answers/customers'
import { useState } from 'react'
import { useMay } from '../session/session.ts'
import { ContactForm } from './contact-form.tsx'
import { EraseCustomer } from './erase-customer.tsx'

/** The buttons of a customer's page, with their dialogues. Erased data have none. */
export function CustomerActions({ customer }: { readonly customer: CustomerView }) {
  const mayChange = useMay('customers.change')
  const mayErase = useMay('customers.erase')
  const [opened, setOpened] = useState<'contact' | 'erasure' | null>(null)
  const close = (): void => setOpened(null)
  if (customer.erasedAt !== null) return null
  return (
    <Group gap="xs">
      {mayErase && (
        <Button
          variant="default"
          leftSection={<IconEraser size={16} />}
          onClick={() => setOpened('erasure')}
        >
          Erase data
        </Button>
      )}
      {mayChange && (
        <Button
          variant="default"
          leftSection={<IconPencil size={16} />}
          onClick={() => setOpened('contact')}
        >
          Edit contact
        </Button>
      )}
      {opened === 'contact' && <ContactForm customer={customer} onClose={close} />}
      {opened === 'erasure' && <EraseCustomer customer={customer} onClose={close} />}
    </Group>
  )
}
