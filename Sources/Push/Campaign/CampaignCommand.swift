import Gatefold

/// What an operator types to go on with a campaign.
enum CampaignCommand {
    static func send(_ campaign: PushCampaign) -> String {
        var words = [
            "gatefold", "push", "send", "--publication", campaign.publication.rawValue, "--app", campaign.app,
            "--environment", campaign.environment.rawValue,
        ]
        if let edition = campaign.edition { words += ["--edition", edition.rawValue] }
        if isNamed(campaign) { words += ["--name", campaign.name] }
        return words.map(quoted).joined(separator: " ")
    }

    /// What the command does not say because nobody keeps it.
    static func proviso(_ campaign: PushCampaign) -> String {
        isNamed(campaign) ? ", with its --payload if it has one," : ""
    }

    private static func isNamed(_ campaign: PushCampaign) -> Bool {
        !CampaignName.isOfEdition(campaign) && !CampaignName.isUsual(campaign)
    }

    /// As a shell reads it as one word.
    private static func quoted(_ word: String) -> String {
        word.wholeMatch(of: /[A-Za-z0-9._\/:@%+=\-]+/) != nil ? word : "'\(word.replacing("'", with: "'\\''"))'"
    }
}
