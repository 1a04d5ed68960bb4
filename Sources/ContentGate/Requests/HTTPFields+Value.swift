package import HTTPTypes

extension HTTPFields {
    /// Returns the value of a field, as the subscript does. The subscript joins the values of repeated fields, and
    /// takes several times as long for a field that occurs once, as nearly all do.
    package func value(of name: HTTPField.Name) -> String? {
        guard let first = firstIndex(where: { $0.name == name }) else { return nil }
        return self[index(after: first)...].contains { $0.name == name } ? self[name] : self[first].value
    }
}
