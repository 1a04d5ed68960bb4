import JSON

/// The strict reader of a query: each parameter is declared and occurs once.
enum AdminQuery {
    /// - Throws: ``AdminProblem`` with all that is wrong.
    static func read(
        _ query: String?, _ parameters: [AdminProperty]
    ) throws(AdminProblem) -> [String: JSONValue] {
        var values: [String: JSONValue] = [:]
        var faults: [AdminProblem.Fault] = []
        for field in (query ?? "").split(separator: "&", omittingEmptySubsequences: true) {
            let parts = field.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard let name = StrictPercentEncoding.decode(parts[0], isForm: true),
                let parameter = parameters.first(where: { $0.name.utf8.elementsEqual(name.utf8) })
            else {
                let names = parameters.map(\.name).joined(separator: ", ")
                faults.append(.init("query", names.isEmpty ? "no parameters" : "only the parameters \(names)"))
                continue
            }
            let text = parts.count == 2 ? StrictPercentEncoding.decode(parts[1], isForm: true) : nil
            guard values[parameter.name] == nil, let text, let value = parameter.schema.value(parameter: text) else {
                faults.append(.init(parameter.name, "once, " + parameter.schema.expectation))
                continue
            }
            values[parameter.name] = value
        }
        for parameter in parameters where parameter.isRequired && values[parameter.name] == nil {
            faults.append(.init(parameter.name, parameter.schema.expectation))
        }
        guard faults.isEmpty else { throw .invalid(Array(faults.prefix(20))) }
        return values
    }
}
