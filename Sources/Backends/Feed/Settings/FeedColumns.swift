import Settings

/// The fields of a feed that identify a reader.
struct FeedColumns: Sendable, Equatable {
    /// The field with the identifier for sign-in, folded as in `CredentialFields`.
    let identifier: String
    /// The field with the key, which stays the same when the identifier changes. Nil when the identifier is also
    /// the key.
    let key: String?
    /// The field that the reader's proof is compared with, or nil when the identifier alone is sufficient.
    let proof: String?
    /// The field with the salt of the proof, if it is stored separately.
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
