import { useQuery } from '@tanstack/react-query'
import { profileQuery } from '../shell/session.ts'
import { Page, PageHead } from '../ui/page.tsx'
import { QueryView } from '../ui/states.tsx'
import { useTranslation } from '../ui/texts.tsx'
import { ProfileForm } from './profile-form.tsx'

export default function ProfileScreen() {
  const { t } = useTranslation()
  const query = useQuery(profileQuery)
  return (
    <Page width={760}>
      <PageHead title={t('shell.profile')} />
      <QueryView query={query}>{(profile) => <ProfileForm key={profile.userId} profile={profile} />}</QueryView>
    </Page>
  )
}
