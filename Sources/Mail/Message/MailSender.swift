package import Gatefold

/// The sender of e-mail messages.
package struct MailSender: Sendable, Equatable {
    /// The display name; nil for the address alone.
    package let name: String?
    package let address: MailAddress

    /// - Parameter text: The sender, such as `news@daily.example` or `The Daily <news@daily.example>`. The name may
    ///   be in double quotes.
    package init?(_ text: String) {
        guard let match = text.wholeMatch(of: /([^<>]*)<([^<>]+)>\s*/) else {
            guard let address = MailAddress(text) else { return nil }
            name = nil
            self.address = address
            return
        }
        guard let address = MailAddress(String(match.2)) else { return nil }
        self.address = address
        var name = HeaderText.shown(String(match.1))
        if name.count >= 2, name.hasPrefix("\""), name.hasSuffix("\"") { name = String(name.dropFirst().dropLast()) }
        guard !name.contains("\"") else { return nil }
        self.name = name.isEmpty ? nil : name
    }

    /// The value of the header `From`.
    var header: String {
        guard let name else { return address.text }
        // The address is on a folded line, because name and address together may be too long.
        return "\(HeaderText.encode(name, allowing: HeaderText.inNames))\r\n <\(address.text)>"
    }
}
