/// A list of stored password formats in the order in which they are tried.
struct PasswordFormats: Sendable {
    let forms: [PasswordFormat]

    init(_ forms: [PasswordFormat]) {
        self.forms = forms
    }

    /// Parses a stored value with the first format that accepts it; nil if none does.
    func read(_ proof: StoredProof) -> (any StoredPassword)? {
        guard proof.value.utf8.count <= Self.maxLength, (proof.salt?.utf8.count ?? 0) <= Self.maxLength else {
            return nil
        }
        for form in forms {
            if let found = form(proof) { return found }
        }
        return nil
    }

    /// The maximum length of a stored value or salt in bytes. A longer one matches no format.
    static let maxLength = 2048

    func followed(by others: [PasswordFormat]) -> PasswordFormats { PasswordFormats(forms + others) }

    /// Every format that is identified by its prefix or by a unique shape. If two formats could parse the same
    /// text, the first one wins. The prefixes prevent such conflicts.
    static let selfDescribing = PasswordFormats([
        { CryptPassword($0.value) },
        { APRPassword($0.value) },
        { Argon2Password($0.value) },
        { PasslibScrypt($0.value) },
        { DjangoScrypt($0.value) },
        { DjangoPBKDF2($0.value) },
        { PasslibPBKDF2($0.value) },
        { IdentityPassword($0.value) },
        { WrappedPassword(django: $0.value) },
        { WrappedPassword(wordPress: $0.value) },
        { PHPassPassword($0.value) },
        { DrupalPassword($0.value) },
        { WrappedPassword(drupalUpgrade: $0.value) },
        { LDAPPassword($0.value) },
        { WrappedPassword(ldap: $0.value) },
        { MagentoPassword($0.value) },
        KnownTemplates.djangoMD5, KnownTemplates.djangoSHA1, KnownTemplates.mysql,
    ])
}
