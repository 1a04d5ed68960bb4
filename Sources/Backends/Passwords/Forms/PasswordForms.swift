import Gatefold

/// Forms of stored passwords in the order they are tried.
struct PasswordForms: Sendable {
    let forms: [PasswordForm]

    init(_ forms: [PasswordForm]) {
        self.forms = forms
    }

    /// The first form that the text is in; nil when it is in none.
    func read(_ proof: StoredProof) -> (any StoredPassword)? {
        guard proof.value.utf8.count <= Self.longest, (proof.salt?.utf8.count ?? 0) <= Self.longest else { return nil }
        for form in forms {
            if let found = form(proof) { return found }
        }
        return nil
    }

    /// A stored value or salt longer than this, in bytes, is in no form.
    static let longest = 2048

    func followed(by others: [PasswordForm]) -> PasswordForms { PasswordForms(forms + others) }

    /// Every form that can be told by its prefix or by a shape that nothing else has. Where two forms could read the same
    /// text the first one has it; the prefixes keep that from happening.
    static let selfEvident = PasswordForms([
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
