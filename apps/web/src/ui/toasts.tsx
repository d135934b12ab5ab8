import { useNotifications } from '@mantine/notifications'
import { later } from './later.tsx'

const ToastList = later(() => import('./toast-list.tsx'))

/** The place of messages. Its code loads with the first one. */
export function Toasts() {
  return <ToastList wanted={useNotifications().notifications.length > 0} />
}
