public import Gatefold

/// The publication that the test users read.
public enum TestPublication {
    /// Signs in with `username` and `password`, of which only the backend says whether they are enough; issues the
    /// password of the feed to those the backend names.
    public static func make(_ id: PublicationID, hasDebugComments: Bool = false) -> Publication {
        Publication(
            id: id,
            credentialFields: CredentialFields(
                identifier: "username", proofs: ["password"], optional: ["username", "password"]),
            rule: EntitlementRule(policy: .backendDecides, omitsInactiveList: true), saltForm: .plain,
            issuesFeedPassword: true, hasDebugComments: hasDebugComments, edgeTokens: [TestEdgeToken()])
    }
}
