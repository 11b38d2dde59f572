import { Alert, Stack, Text } from '@mantine/core'
import { IconInfoCircle } from '@tabler/icons-react'
import type { OrderRefusal } from '@tollgate/portal-contract/answers/order'
import { Facts } from '../parts/facts.tsx'

const RETRY: Readonly<Record<OrderRefusal['retry'], string>> = {
  never: 'Never with this card',
  other_data: 'Yes, with corrected data',
  later: 'Yes, later',
  authenticate: 'Yes, with 3-D Secure',
  not_needed: 'Not needed',
  set_up: 'After the configuration is changed',
}

/** Why a payment was not approved, for the merchant and for the customer. */
export function RefusalPanel({ refusal }: { readonly refusal: OrderRefusal }) {
  return (
    <Alert
      color={refusal.retry === 'never' ? 'red' : 'orange'}
      variant="light"
      icon={<IconInfoCircle size={18} />}
      title={refusal.reason}
    >
      <Stack gap="xs">
        <Text size="sm">{refusal.advice}</Text>
        <Facts
          facts={[
            ['Retry', RETRY[refusal.retry]],
            ['Customer message', refusal.customerMessage],
            ['SERVICE code', `${refusal.service.code}: ${refusal.service.words}`],
            [
              'Processor',
              refusal.processor === null
                ? null
                : `${refusal.processor.code}: ${refusal.processor.words}`,
            ],
            [
              'Issuer',
              refusal.industry === null
                ? null
                : `${refusal.industry.code}: ${refusal.industry.words}`,
            ],
          ]}
        />
      </Stack>
    </Alert>
  )
}
