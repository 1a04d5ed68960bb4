extension PublicationProxy {
    /// What a notice pass of this session is sealed with, and ends with.
    public func noticeHolder(of session: Session) -> SaltHolder { holder(of: session) }
}
