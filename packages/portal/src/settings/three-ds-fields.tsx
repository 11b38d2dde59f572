import { Box, Radio, Select, Stack, Switch, TagsInput } from '@mantine/core'
import type { ThreeDsPolicy } from '@tollgate/portal-contract/answers/settings'
import type { ApiFault } from '../shell/api.ts'

/** Challenge preferences of a site. */
export const CHALLENGES: readonly { readonly value: string; readonly label: string }[] = [
  { value: 'none', label: 'No preference sent' },
  { value: '01', label: '01: no preference' },
  { value: '02', label: '02: no challenge preferred' },
  { value: '03', label: '03: challenge preferred' },
  { value: '04', label: '04: challenge required by mandate' },
]

interface ThreeDsFieldsProps {
  readonly values: ThreeDsPolicy
  readonly set: <Name extends keyof ThreeDsPolicy>(name: Name, value: ThreeDsPolicy[Name]) => void
  readonly fault: ApiFault | null
  /** The hosts were changed. */
  readonly onTyped: () => void
}

/** The 3-D Secure settings of a site. */
export function ThreeDsFields({ values, set, fault, onTyped }: ThreeDsFieldsProps) {
  return (
    <Stack gap="md">
      <Switch
        label="Decline if browser data is missing"
        description="Off: a payment without the browser's language, user agent or Accept header continues without authentication. On: it is declined with SERVICE 670."
        checked={values.required}
        onChange={(event) => set('required', event.currentTarget.checked)}
      />
      <Radio.Group
        label="If authentication is not possible"
        description="Applies if the card or issuer does not support it, or the network does not answer. After a challenge, only a successful authentication is authorized."
        value={values.whenUnavailable}
        onChange={(value) => set('whenUnavailable', value as ThreeDsPolicy['whenUnavailable'])}
      >
        <Stack gap={6} mt={6}>
          <Radio
            value="authorize"
            label="Authorize without authentication"
            description="More sales, but the liability for fraud stays with the merchant."
          />
          <Radio
            value="decline"
            label="Decline"
            description="Only authenticated or attempted payments are authorized."
          />
        </Stack>
      </Radio.Group>
      <Switch
        label="The final call must carry REQUEST_PARES"
        description="Its value can be empty. Helps integrations of the older protocol to detect a missing parameter."
        checked={values.paResRequired}
        onChange={(event) => set('paResRequired', event.currentTarget.checked)}
      />
      <Select
        label="Challenge preference"
        description="Sent to the issuer as threeDSRequestorChallengeInd. The issuer decides."
        inputContainer={(input) => <Box maw={360}>{input}</Box>}
        allowDeselect={false}
        data={CHALLENGES}
        value={values.challengePreference ?? 'none'}
        onChange={(value) =>
          set('challengePreference', value === null || value === 'none' ? null : value)
        }
      />
      <TagsInput
        label="Allowed hosts in P3DS_RETURN_URL"
        description="Hosts to which customers return, such as shop.example. Leave empty to allow any host. Press Enter after each."
        placeholder={values.returnHosts.length === 0 ? 'any host' : ''}
        value={[...values.returnHosts]}
        error={fault?.field === 'returnHosts' ? fault.message : undefined}
        onChange={(hosts) => {
          onTyped()
          set(
            'returnHosts',
            hosts.map((host) => host.trim().toLowerCase()),
          )
        }}
      />
    </Stack>
  )
}
