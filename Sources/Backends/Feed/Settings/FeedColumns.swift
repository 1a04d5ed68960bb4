import Settings

/// Which of a feed's fields say who a reader is.
struct FeedColumns: Sendable, Equatable {
    /// What a reader signs in as; folded as `CredentialFields` says.
    let identifier: String
    /// What stays the same when the identifier changes; nil when the identifier is that, too.
    let key: String?
    /// What the reader's proof is compared with; nil where knowing the identifier is enough.
    let proof: String?
    /// Of the proof, where it is kept apart.
    let salt: String?

    init(_ section: SettingsSection, checksProof: Bool) throws(SettingsError) {
        identifier = try section.requiredString("identifier", expected: "the name of a field")
        key = try section.string("key")
        if checksProof {
            proof = try section.requiredString(
                "proof", expected: "the name of a field, or `check_proof: false` where the identifier is enough")
            salt = try section.string("salt")
        } else {
            proof = nil
            salt = nil
        }
        try section.finish()
    }

    var fields: Set<String> { Set([identifier, key, proof, salt].compactMap(\.self)) }
}
