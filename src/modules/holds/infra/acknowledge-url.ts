/** Where the person says that they have read a notice: signed in as themselves, like everything of the admin API. */
export const acknowledgeUrl = (publicUrl: string, noticeId: string): string =>
  `${publicUrl}/admin/v1/hold-notices/${noticeId}/acknowledge`;
