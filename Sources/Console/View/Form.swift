/// A form of a page.
struct Form: Sendable {
    let formMethod: String
    let formAction: String
    let fields: [Field]
    let button: String
    /// Whether the form has the token of the session, as each POST must.
    let formHasToken: Bool

    /// A form that is sent by POST.
    ///
    /// - Parameter path: The path below that of the console.
    static func post(_ path: String, _ fields: [Field], button: String, hasToken: Bool = true) -> Form {
        Form(
            formMethod: "post", formAction: Console.root + path, fields: fields, button: button,
            formHasToken: hasToken)
    }

    /// A form whose values are in the URL: filters, which name no person.
    static func get(_ path: String, _ fields: [Field], button: String) -> Form {
        Form(formMethod: "get", formAction: Console.root + path, fields: fields, button: button, formHasToken: false)
    }
}

struct Field: Sendable {
    let fieldName: String
    let fieldLabel: String
    let fieldHint: String?
    let fieldValue: String
    let fieldLimit: Int
    let options: [FieldOption]
    let isHidden: Bool
    let isText: Bool
    let isChoice: Bool
    let isRequired: Bool

    private init(
        _ name: String, _ label: String, hint: String? = nil, value: String = "", limit: Int = 0,
        options: [FieldOption] = [], isHidden: Bool = false, isText: Bool = false, isRequired: Bool = false
    ) {
        fieldName = name
        fieldLabel = label
        fieldHint = hint
        fieldValue = value
        fieldLimit = limit
        self.options = options
        self.isHidden = isHidden
        self.isText = isText
        isChoice = !isHidden && !isText
        self.isRequired = isRequired
    }

    static func hidden(_ name: String, _ value: String) -> Field { Field(name, "", value: value, isHidden: true) }

    /// - Parameter limit: The maximum number of characters.
    static func text(
        _ name: String, _ label: String, hint: String? = nil, value: String = "", limit: Int, isRequired: Bool = false
    ) -> Field {
        Field(name, label, hint: hint, value: value, limit: limit, isText: true, isRequired: isRequired)
    }

    static func choice(_ name: String, _ label: String, _ options: [FieldOption]) -> Field {
        Field(name, label, options: options)
    }
}

struct FieldOption: Sendable {
    let optionValue: String
    let optionText: String
    let optionIsSelected: Bool

    init(_ value: String, _ text: String, isSelected: Bool = false) {
        optionValue = value
        optionText = text
        optionIsSelected = isSelected
    }
}
