extension AuthorizationService {
    /// Returns the holder that a notification token of this session is sealed with. The token ends with this
    /// holder.
    public func notificationSubject(of session: Session) -> SaltSubject { subject(of: session) }
}
