extension AuthorizationService {
    /// A Boolean value that indicates whether the revocations are too old to open or extend access.
    package var hasOutdatedRevocations: Bool { revocationAgeLimit?.isExceeded ?? false }

    /// - Throws: ``Unavailable`` if the revocations are too old to open or extend access.
    func checkRevocationAge() throws(Unavailable) {
        guard hasOutdatedRevocations else { return }
        let cause = "revocations older than max_revocation_age"
        observe(.stateStoreFailed(cause: cause))
        throw Unavailable(.revocationsOutdated, retryAfter: retryAfter, cause: cause)
    }
}
