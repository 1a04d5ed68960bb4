public import Gatefold

/// The publication of the test users.
public enum TestPublication {
    /// Creates the publication. Its sign-in fields are `username` and `password`, and only the backend decides
    /// whether they suffice. The publication issues the feed password to the readers that the backend names.
    public static func make(_ id: PublicationID, hasDebugNotes: Bool = false) -> Publication {
        Publication(
            id: id,
            credentialFields: CredentialFields(
                identifier: "username", proofs: ["password"], optional: ["username", "password"]),
            rule: EntitlementRule(policy: .backendDecides, omitsInactiveList: true), saltFormat: .plain,
            issuesFeedPassword: true, hasDebugNotes: hasDebugNotes, edgeToken: TestEdgeToken())
    }
}
