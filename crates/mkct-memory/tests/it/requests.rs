//! Pairs of requests in nine languages: which ones a query should find, and which not.

/// A query, an entry in memory, and whether the query should find it. The entry is a request, followed by the
/// lesson after the arrow if there is one.
pub(crate) struct Row {
    pub(crate) language: &'static str,
    pub(crate) question: &'static str,
    pub(crate) known: &'static str,
    pub(crate) meets: bool,
}

macro_rules! rows {
    ($($language:literal { $($question:literal $sign:tt $known:literal;)+ })+) => {
        &[$($(Row { language: $language, question: $question, known: $known, meets: rows!(@ $sign) },)+)+]
    };
    (@ ~) => { true };
    (@ !) => { false };
}

pub(crate) const REQUESTS: &[Row] = rows! {
    "English" {
        "count the text files" ~ "how many .txt are there -> count the files that end in .txt: shell find . -name '*.txt' | wc -l";
        "count the text files in my documents" ~ "how many text files does the documents folder have";
        "convert report.docx to pdf" ~ "make a PDF out of letter.docx";
        "find duplicate photos" ~ "which pictures are duplicates? -> find duplicated images by checksum: shell md5sum *.jpg";
        "summarize the meeting notes" ~ "write a summary of the notes from Monday's meeting";
        "extract the prices from invoice.json" ~ "parse invoices.json and list all prices";
        "resize the images to 800 px" ~ "resize all png images in holiday to half their size";
        "show the largest files in downloads" ~ "which files in ~/Downloads are the largest";
        "renmae the fotos by date" ~ "rename the photos by the date they were taken";
        "count the text files" ! "delete the old logs";
        "what is the weather in Berlin" ! "convert report.docx to pdf";
        "rename the photos by date" ! "what time is it in Tokyo";
        "show the largest files in downloads" ! "play some music in the kitchen";
        "summarize the meeting notes" ! "resize the images to 800 px";
        "how many users are logged in" ! "how many lines are in the readme";
        "could you please tell me what time it is" ! "could you please tell me how large the disk is";
        "find the note that mentions Aino" ! "find all prime numbers below 100";
    }
    "Finnish" {
        "laske tekstitiedostot" ~ "kuinka monta tekstitiedostoa kansiossa on";
        "montako kuvaa kansiossa loma on" ~ "laske kuvat loman kansiosta -> laske kansion kuvat: shell find loma -name '*.jpg' | wc -l";
        "poista vanhat varmuuskopiot" ~ "siivoa varmuuskopioista vanhimmat pois";
        "muunna raportti pdf-muotoon" ~ "tee raportista pdf";
        "etsi suurimmat tiedostot" ~ "mikä tiedosto on suurin";
        "laske tekstitiedostot" ! "soita musiikkia keittiössä";
        "poista vanhat varmuuskopiot" ! "mikä on huomisen sää Oulussa";
        "muunna raportti pdf-muotoon" ! "etsi suurimmat kuvat";
        "montako kuvaa kansiossa on" ! "kirjoita runo merestä";
    }
    "German" {
        "zähle die Textdateien" ~ "wie viele Textdateien liegen im Ordner";
        "benenne die Fotos nach Datum um" ~ "Umbenennen aller Fotos nach dem Aufnahmedatum";
        "fasse das Protokoll zusammen" ~ "eine Zusammenfassung der Protokolle schreiben -> fasse die Protokolle zusammen";
        "finde die größten Dateien" ~ "welche Datei ist am größten";
        "wandle bericht.docx in ein PDF um" ~ "erzeuge aus brief.docx ein PDF";
        "zähle die Textdateien" ! "spiele Musik in der Küche";
        "benenne die Fotos nach Datum um" ! "wie wird das Wetter in Köln";
        "fasse das Protokoll zusammen" ! "lösche die alten Sicherungen";
        "kannst du mir bitte sagen wie spät es ist" ! "kannst du mir bitte die Rechnung umbenennen";
        "finde die größten Dateien" ! "schreibe die Einladung zum Fest";
    }
    "Chinese" {
        "统计文本文件的数量" ~ "这里有多少个文本文件";
        "把照片按日期重命名" ~ "用拍摄日期重命名所有照片";
        "找出最大的文件" ~ "下载文件夹里最大的文件是哪个";
        "总结会议记录" ~ "写一份会议记录的摘要";
        "统计文本文件的数量" ! "今天北京天气怎么样";
        "把照片按日期重命名" ! "删除旧的日志";
        "请帮我查一下时间" ! "请帮我删除旧日志";
        "总结会议记录" ! "播放一些音乐";
        "找出最大的文件" ! "写一首关于大海的诗";
    }
    "Japanese" {
        "テキストファイルを数えて" ~ "テキストファイルはいくつありますか";
        "写真を日付順に名前変更して" ~ "写真の名前を日付に変更してください";
        "一番大きいファイルを探して" ~ "大きいファイルを一覧表示してください";
        "会議の議事録を要約してください" ~ "議事録の要約を書いて";
        "テキストファイルを数えて" ! "明日の天気を教えて";
        "写真を日付順に名前変更して" ! "古いログを削除してください";
        "会議の議事録を要約してください" ! "音楽を再生してください";
    }
    "Arabic" {
        "احسب عدد الملفات النصية" ~ "كم ملف نصي يوجد في المجلد";
        "أعد تسمية الصور حسب التاريخ" ~ "تسمية كل صورة بتاريخ التقاطها";
        "لخص محضر الاجتماع" ~ "اكتب ملخصا لمحضر اجتماع الأمس";
        "ابحث عن أكبر الملفات" ~ "ما هو أكبر ملف في التنزيلات";
        "احسب عدد الملفات النصية" ! "ما حالة الطقس غدا";
        "أعد تسمية الصور حسب التاريخ" ! "شغل بعض الموسيقى";
        "لخص محضر الاجتماع" ! "احذف النسخ القديمة";
    }
    "Turkish" {
        "metin dosyalarını say" ~ "klasörde kaç metin dosyası var";
        "fotoğrafları tarihe göre yeniden adlandır" ~ "bütün fotoğrafların adlarını çekim tarihine göre değiştir";
        "toplantı notlarını özetle" ~ "dünkü toplantının notlarından bir özet yaz";
        "en büyük dosyaları bul" ~ "indirilenlerdeki en büyük dosya hangisi";
        "metin dosyalarını say" ! "yarın hava nasıl olacak";
        "fotoğrafları tarihe göre yeniden adlandır" ! "eski yedekleri sil";
        "lütfen bana saati söyle" ! "lütfen bana en büyük dosyayı bul";
        "toplantı notlarını özetle" ! "mutfakta müzik çal";
    }
    "Russian" {
        "посчитай текстовые файлы" ~ "сколько текстовых файлов в папке";
        "переименуй фотографии по дате" ~ "переименовать все фотографии по дате съёмки";
        "посчитай текстовые файлы" ! "какая завтра погода";
    }
    "Hindi" {
        "टेक्स्ट फ़ाइलें गिनो" ~ "फ़ोल्डर में कितनी टेक्स्ट फ़ाइलें हैं";
        "टेक्स्ट फ़ाइलें गिनो" ! "कल मौसम कैसा रहेगा";
    }
};
